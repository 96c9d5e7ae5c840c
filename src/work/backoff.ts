import { backoff } from '#src/lib/async/backoff.ts';

/** Attempts that may end in a failure another attempt could help; the last one's reason is what clients read. */
export const MAX_ATTEMPTS = 4;

/**
 * Starts in a row that may end without a word before the work itself is taken to be the reason: it hangs, or takes
 * its process down. Healthy work loses a start to a deploy or to a neighbour that took the process down; the waits
 * between starts (`secondsUntilNextStart`) part it from that neighbour long before it has lost as many.
 */
export const MAX_STARTS = 4;

/** What clients read of work that was started so often and never ended. */
export const neverEnded = (starts: number) =>
  `It was started ${starts} times and never ended: the work stops its process.`;

/** A message not picked up for so long is sent again; arriving twice does no harm. */
export const RESEND_MS = 120_000;

/** Waits before work that failed is tried again, in seconds. */
const RETRY = { first: 2, longest: 60 };
/** Value of RESTART_WAIT_SECONDS if it is not set. */
export const FIRST_RESTART_SECONDS = 5;
const LONGEST_RESTART_SECONDS = 300;

/** Returns the seconds before work that failed is tried again. `attempts` counts those so far. */
export const secondsUntilRetry = (attempts: number, random = Math.random()): number =>
  backoff(RETRY, attempts, { random });

/**
 * Returns the seconds before work whose last start did not end is started again: about 5, 15 and 45. Other work in the
 * same process lost its start as well. The growing waits with jitter keep the work that is to blame from taking its
 * neighbours along again.
 */
export function secondsUntilNextStart(
  starts: number,
  firstWait = FIRST_RESTART_SECONDS,
  random = Math.random(),
): number {
  return backoff({ first: firstWait, factor: 3, longest: LONGEST_RESTART_SECONDS }, starts, { random });
}

/** Seconds before work whose other side asked for patience: never earlier, and not all at the same moment. */
export function secondsAsPatient(retryAfter: number, random = Math.random()): number {
  return retryAfter + random * Math.max(1, retryAfter / 4);
}

/** A webhook delivery has more patience: the waits between its attempts add up to some ten hours. */
export const MAX_DELIVERY_ATTEMPTS = 9;
/** Waits between the attempts of a webhook delivery, in seconds. */
const REDELIVERY = { first: 5, factor: 4, longest: 4 * 3600, jitter: 0.2 };

/** Returns the seconds until the next attempt of a delivery; never less than the receiver asked for. */
export const secondsUntilRedelivery = (attempts: number, retryAfter = 0, random = Math.random()): number =>
  backoff(REDELIVERY, attempts, { retryAfter, random });
