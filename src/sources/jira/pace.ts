import { SourceError } from '#src/ports/source.ts';

/**
 * Maximum wait in milliseconds. A longer wait is reported as a retryable error, so the caller can retry
 * later.
 */
const LONGEST_WAIT_MS = 60_000;

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/**
 * Creates a function that spaces requests evenly at the given rate. `null` means no limit. The limit applies
 * to one opened source only.
 */
export function paceOf(perMinute: number | null, now = Date.now, wait = sleep): () => Promise<void> {
  if (perMinute === null) return async () => {};
  let next = 0;
  return async () => {
    const time = now();
    const turn = Math.max(time, next);
    if (turn - time > LONGEST_WAIT_MS) {
      const message = `More requests wait for Jira than requests_per_minute (${perMinute}) lets through.`;
      throw new SourceError(message, { retryable: true, retryAfter: Math.ceil((turn - time) / 1000) });
    }
    next = turn + 60_000 / perMinute;
    if (turn > time) await wait(turn - time);
  };
}
