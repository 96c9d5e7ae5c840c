import { SourceError } from '#src/ports/source.ts';

/** A request that would wait for longer is left to the owner of the work, who need not stay awake for it. */
const LONGEST_WAIT_MS = 60_000;

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

/**
 * Lets requests through one after the other, evenly, so many a minute; null: all at once. It knows of the requests of
 * one opened source.
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
