import { SourceError } from '#src/ports/source.ts';

/**
 * Maximum wait for the next request, in milliseconds. A longer wait fails with a retryable error, so that the
 * caller can retry later.
 */
const LONGEST_WAIT_MS = 60_000;

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/**
 * Creates a function that resolves when the next request may be sent. Requests are spaced evenly at the given
 * rate, and `null` means no limit. The limit applies to one opened source only.
 */
export function createRateLimiter(
  perMinute: number | null,
  now = Date.now,
  wait = sleep,
): () => Promise<void> {
  if (perMinute === null) return async () => {};
  let next = 0;
  return async () => {
    const time = now();
    const turn = Math.max(time, next);
    if (turn - time > LONGEST_WAIT_MS) {
      const message = `More requests to Jira are waiting than requests_per_minute (${perMinute}) allows.`;
      throw new SourceError(message, { retryable: true, retryAfter: Math.ceil((turn - time) / 1000) });
    }
    next = turn + 60_000 / perMinute;
    if (turn > time) await wait(turn - time);
  };
}
