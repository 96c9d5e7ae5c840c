export interface Backoff {
  /** Seconds before the second attempt. */
  first: number;
  /** How many times longer each further wait is. */
  factor?: number;
  /** Seconds; no wait is longer. */
  longest: number;
  /** Part of a wait that is left to chance, to either side: 0.5 gives half to one and a half of it. */
  jitter?: number;
}

/** Seconds to wait after the given number of attempts; never less than the other side asked for. */
export function backoff(
  { first, factor = 2, longest, jitter = 0.5 }: Backoff,
  attempts: number,
  { retryAfter = 0, random = Math.random() }: { retryAfter?: number; random?: number } = {},
): number {
  const wait = Math.min(longest, first * factor ** (attempts - 1));
  return Math.max(wait * (1 - jitter + 2 * jitter * random), retryAfter);
}
