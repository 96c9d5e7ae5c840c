/** Timeout in milliseconds for events that are certain to happen. It is long, because machines can stall. */
export const PATIENCE_MS = 4 * 60_000;
