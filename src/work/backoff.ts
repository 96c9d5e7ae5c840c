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

const LONGEST_RETRY_SECONDS = 60;
/** What RESTART_WAIT_SECONDS is when nobody sets it. */
export const FIRST_RESTART_SECONDS = 5;
const LONGEST_RESTART_SECONDS = 300;

/** Seconds before work that failed is tried again, by its attempts so far: doubled each time, with jitter. */
export function secondsUntilRetry(attempts: number, random = Math.random()): number {
  return Math.min(LONGEST_RETRY_SECONDS, 2 ** attempts) * (0.5 + random);
}

/**
 * Seconds before work whose last start did not end is started again: some 5, 15, 45. Whatever was at work in the
 * same process lost its start as well; jitter and growth keep the one that is to blame from taking it along again.
 */
export function secondsUntilNextStart(
  starts: number,
  firstWait = FIRST_RESTART_SECONDS,
  random = Math.random(),
): number {
  return Math.min(LONGEST_RESTART_SECONDS, firstWait * 3 ** (starts - 1)) * (0.5 + random);
}

/** Seconds before work whose other side asked for patience: never earlier, and not all at the same moment. */
export function secondsAsPatient(retryAfter: number, random = Math.random()): number {
  return retryAfter + random * Math.max(1, retryAfter / 4);
}

/** A webhook delivery has more patience: the waits between its attempts add up to some ten hours. */
export const MAX_DELIVERY_ATTEMPTS = 9;
const FIRST_DELIVERY_WAIT_SECONDS = 5;
const LONGEST_DELIVERY_WAIT_SECONDS = 4 * 3600;

/** Seconds until the next attempt of a delivery, with jitter; never less than the receiver asked for. */
export function secondsUntilRedelivery(attempts: number, retryAfter = 0, random = Math.random()): number {
  const wait = Math.min(LONGEST_DELIVERY_WAIT_SECONDS, FIRST_DELIVERY_WAIT_SECONDS * 4 ** (attempts - 1));
  return Math.max(wait * (0.8 + 0.4 * random), retryAfter);
}
