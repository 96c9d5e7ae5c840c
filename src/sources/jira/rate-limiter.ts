import { SourceError } from '#src/ports/source.ts';

/**
 * Maximum wait for the next request, in milliseconds. If the wait would be longer, the request fails with a
 * retryable error.
 */
const LONGEST_WAIT_MS = 60_000;

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/**
 * Creates a function that resolves when the next request may be sent. Requests are spaced evenly at the given
 * rate. `null` means no limit. The limit does not cover other opened data sources.
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
