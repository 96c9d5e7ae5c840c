import { backoff } from '#src/lib/async/backoff.ts';

/** Maximum attempts of work whose failure may be temporary. Clients read the reason of the last attempt. */
export const MAX_ATTEMPTS = 4;

/**
 * Maximum starts in a row that end without a result before the work itself is considered the cause, because
 * it hangs or crashes its process. Healthy work can also lose a start, to a deployment or to other work that
 * crashes the process. The growing waits of `secondsUntilNextStart` separate healthy work from such a
 * neighbour before it reaches this limit.
 */
export const MAX_STARTS = 4;

/** Returns the error message for work that used all its starts without ever finishing. */
export const describeUnfinishedStarts = (starts: number) =>
  `The work was started ${starts} times and never ended. It probably crashes or blocks its process.`;

/** Milliseconds after which a message that nobody consumed is sent again. Messages may arrive twice. */
export const RESEND_MS = 120_000;

/** Waits between attempts of failed work, in seconds. */
const RETRY = { first: 2, longest: 60 };
/** Default of RESTART_WAIT_SECONDS. */
export const FIRST_RESTART_SECONDS = 5;
const LONGEST_RESTART_SECONDS = 300;

/**
 * Returns the seconds to wait before the next attempt. `attempts` is the number of failed attempts so far.
 */
export const secondsUntilRetry = (attempts: number, random = Math.random()): number =>
  backoff(RETRY, attempts, { random });

/**
 * Returns the seconds to wait before restarting work whose last start never finished: about 5, 15 and 45.
 * Other work in the same process lost its start too. Growing waits with jitter keep the work that is at fault
 * from crashing its neighbours again.
 */
export function secondsUntilNextStart(
  starts: number,
  firstWait = FIRST_RESTART_SECONDS,
  random = Math.random(),
): number {
  return backoff({ first: firstWait, factor: 3, longest: LONGEST_RESTART_SECONDS }, starts, { random });
}

/**
 * Returns the seconds to wait after a rate limit: at least `retryAfter`, plus jitter of up to a quarter of it
 * or one second, whichever is longer.
 */
export function secondsUntilRateLimitRetry(retryAfter: number, random = Math.random()): number {
  return retryAfter + random * Math.max(1, retryAfter / 4);
}

/** Maximum attempts of a webhook delivery. The waits between them add up to about ten hours. */
export const MAX_DELIVERY_ATTEMPTS = 9;
/** Waits between the attempts of a webhook delivery, in seconds. */
const REDELIVERY = { first: 5, factor: 4, longest: 4 * 3600, jitter: 0.2 };

/**
 * Returns the seconds until the next attempt of a webhook delivery, but at least the `retryAfter` of the
 * receiver.
 */
export const secondsUntilRedelivery = (attempts: number, retryAfter = 0, random = Math.random()): number =>
  backoff(REDELIVERY, attempts, { retryAfter, random });
