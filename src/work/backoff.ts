import { backoff } from '#src/lib/async/backoff.ts';

/**
 * Maximum number of attempts after failures that may be temporary. Clients see the error of the last attempt.
 */
export const MAX_ATTEMPTS = 4;

/**
 * Maximum number of successive starts that end without a result. After these starts, the work itself is
 * assumed to hang or crash its process. Healthy work can lose a start too, because of a deployment or of
 * other work that crashes the process. The growing waits of `secondsUntilNextStart` keep healthy work from
 * reaching this limit.
 */
export const MAX_STARTS = 4;

/** Returns the error message for work that used all its starts without ever ending. */
export const describeUnfinishedStarts = (starts: number) =>
  `The work was started ${starts} times and never ended. It probably crashes or blocks its process.`;

/**
 * Time in milliseconds after which a queue message is sent again if no consumer received it. Messages may
 * therefore arrive twice.
 */
export const RESEND_MS = 120_000;

/** First and longest wait between two attempts of failed work, in seconds. */
const RETRY = { first: 2, longest: 60 };
/** Default of the setting RESTART_WAIT_SECONDS, in seconds. */
export const FIRST_RESTART_SECONDS = 5;
const LONGEST_RESTART_SECONDS = 300;

/**
 * Returns the seconds to wait before failed work is attempted again. `attempts` is the number of failed
 * attempts so far.
 */
export const secondsUntilRetry = (attempts: number, random = Math.random()): number =>
  backoff(RETRY, attempts, { random });

/**
 * Returns the seconds to wait before restarting work whose last start never ended: about 5, 15 and 45. Other
 * work in the same process lost its start too. Growing waits with jitter keep the faulty work from crashing
 * the other work again.
 */
export function secondsUntilNextStart(
  starts: number,
  firstWait = FIRST_RESTART_SECONDS,
  random = Math.random(),
): number {
  return backoff({ first: firstWait, factor: 3, longest: LONGEST_RESTART_SECONDS }, starts, { random });
}

/**
 * Returns the seconds to wait after a rate limit. The wait is at least `retryAfter`. Random jitter adds up to
 * a quarter of `retryAfter`, or up to one second if that is longer.
 */
export function secondsUntilRateLimitRetry(retryAfter: number, random = Math.random()): number {
  return retryAfter + random * Math.max(1, retryAfter / 4);
}

/**
 * Maximum number of attempts to deliver a webhook. The waits between the attempts add up to about ten hours.
 */
export const MAX_DELIVERY_ATTEMPTS = 9;
/** Waits between the attempts of a webhook delivery, in seconds. */
const REDELIVERY = { first: 5, factor: 4, longest: 4 * 3600, jitter: 0.2 };

/**
 * Returns the seconds until the next attempt of a webhook delivery. The result is at least `retryAfter`, the
 * wait that the receiver asked for.
 */
export const secondsUntilRedelivery = (attempts: number, retryAfter = 0, random = Math.random()): number =>
  backoff(REDELIVERY, attempts, { retryAfter, random });
