export interface Backoff {
  /** Seconds before the second attempt. */
  first: number;
  /** Factor between successive waits. */
  factor?: number;
  /** Longest wait in seconds. */
  longest: number;
  /** Random share of a wait in both directions: 0.5 gives between half and one and a half of it. */
  jitter?: number;
}

/** Returns the seconds to wait after the given number of attempts, but at least `retryAfter`. */
export function backoff(
  { first, factor = 2, longest, jitter = 0.5 }: Backoff,
  attempts: number,
  { retryAfter = 0, random = Math.random() }: { retryAfter?: number; random?: number } = {},
): number {
  const wait = Math.min(longest, first * factor ** (attempts - 1));
  return Math.max(wait * (1 - jitter + 2 * jitter * random), retryAfter);
}
