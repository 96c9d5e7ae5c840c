/**
 * Milliseconds for which a test waits for what is sure to happen. Nothing is measured by it: a machine that stalls, or
 * runs other things beside, may take as long, and what never happens is found all the same.
 */
export const PATIENCE_MS = 2 * 60_000;
