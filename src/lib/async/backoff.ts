export interface Backoff {
  /** Seconds to wait before the second attempt. */
  first: number;
  /** Factor by which each wait is longer than the previous wait. */
  factor?: number;
  /** Maximum wait between two attempts in seconds. */
  longest: number;
  /**
   * Random variation of a wait as a fraction in both directions. With 0.5, a wait lasts 0.5 to 1.5 times its
   * normal length.
   */
  jitter?: number;
}

/**
 * Returns the seconds to wait before the next attempt, given the number of failed attempts. Returns at least
 * `retryAfter`.
 */
export function backoff(
  { first, factor = 2, longest, jitter = 0.5 }: Backoff,
  attempts: number,
  { retryAfter = 0, random = Math.random() }: { retryAfter?: number; random?: number } = {},
): number {
  const wait = Math.min(longest, first * factor ** (attempts - 1));
  return Math.max(wait * (1 - jitter + 2 * jitter * random), retryAfter);
}
