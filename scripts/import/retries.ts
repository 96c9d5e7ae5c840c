import { RequestFailure } from './failures.ts';

/** Number of attempts, delays between attempts after transient failures, and timeouts. */
export interface RetryPolicy {
  attempts: number;
  /** Delay in milliseconds before the first retry. Each further delay is twice as long. */
  firstWaitMs: number;
  maxWaitMs: number;
  /** Milliseconds without data after which a transfer fails. */
  silenceMs: number;
  /** Timeout in milliseconds for a complete JSON response. */
  answerMs: number;
}

export const DEFAULT_RETRY_POLICY: RetryPolicy = {
  attempts: 7,
  firstWaitMs: 500,
  maxWaitMs: 5 * 60_000,
  silenceMs: 60_000,
  answerMs: 2 * 60_000,
};

/**
 * Returns the delay before attempt number `next`, where 2 is the first retry. Returns `undefined` if no retry
 * makes sense.
 */
export function getWaitMs(
  next: number,
  failure: RequestFailure,
  retryPolicy: RetryPolicy,
): number | undefined {
  if (!failure.isTransient || next > retryPolicy.attempts) return undefined;
  const retryAfter = failure.retryAfterMs ?? 0;
  if (retryAfter > retryPolicy.maxWaitMs) return undefined;
  const grown = Math.min(retryPolicy.firstWaitMs * 2 ** (next - 2), retryPolicy.maxWaitMs);
  // Half of the delay is random, so that requests that failed together are not repeated together.
  return Math.max(retryAfter, grown / 2 + (Math.random() * grown) / 2);
}

export async function withRetries<Result>(
  retryPolicy: RetryPolicy,
  act: () => Promise<Result>,
  mayRepeat: (failure: RequestFailure) => boolean = () => true,
): Promise<Result> {
  for (let next = 2; ; next += 1) {
    try {
      return await act();
    } catch (cause) {
      if (!(cause instanceof RequestFailure) || !mayRepeat(cause)) throw cause;
      const wait = getWaitMs(next, cause, retryPolicy);
      if (wait === undefined) throw cause;
      await sleep(wait);
    }
  }
}

/** Converts a `Retry-After` header, which contains seconds or a date, into milliseconds. */
export function retryAfterMs(header: string | null, now = Date.now()): number | undefined {
  if (header === null) return undefined;
  if (/^\s*\d+(\.\d+)?\s*$/.test(header)) return Number(header) * 1000;
  const time = Date.parse(header);
  return Number.isNaN(time) ? undefined : Math.max(0, time - now);
}

export const sleep = (milliseconds: number) =>
  new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
