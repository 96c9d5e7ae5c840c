import { RequestFailure } from './failures.ts';

/** How failures that may pass are waited out, and how long a silent server is waited for. */
export interface Patience {
  attempts: number;
  /** The first wait, milliseconds; each further one is twice as long. */
  firstWaitMs: number;
  longestWaitMs: number;
  /** Until a server that sends nothing is given up. */
  silenceMs: number;
  /** Until a whole answer in JSON is there. */
  answerMs: number;
}

export const PATIENCE: Patience = {
  attempts: 7,
  firstWaitMs: 500,
  longestWaitMs: 5 * 60_000,
  silenceMs: 60_000,
  answerMs: 2 * 60_000,
};

/** The wait before attempt `next` (2 is the first repetition); undefined when it is not worth waiting. */
export function waitBefore(next: number, failure: RequestFailure, patience: Patience): number | undefined {
  if (!failure.passing || next > patience.attempts) return undefined;
  const asked = failure.retryAfterMs ?? 0;
  if (asked > patience.longestWaitMs) return undefined;
  const grown = Math.min(patience.firstWaitMs * 2 ** (next - 2), patience.longestWaitMs);
  // Half of it by chance, so that requests that failed together do not come again together.
  return Math.max(asked, grown / 2 + (Math.random() * grown) / 2);
}

export async function withRetries<Result>(
  patience: Patience,
  act: () => Promise<Result>,
  mayRepeat: (failure: RequestFailure) => boolean = () => true,
): Promise<Result> {
  for (let next = 2; ; next += 1) {
    try {
      return await act();
    } catch (cause) {
      if (!(cause instanceof RequestFailure) || !mayRepeat(cause)) throw cause;
      const wait = waitBefore(next, cause, patience);
      if (wait === undefined) throw cause;
      await sleep(wait);
    }
  }
}

/** Milliseconds of a `Retry-After`, which counts seconds or names a time. */
export function retryAfterMs(header: string | null, now = Date.now()): number | undefined {
  if (header === null) return undefined;
  if (/^\s*\d+(\.\d+)?\s*$/.test(header)) return Number(header) * 1000;
  const time = Date.parse(header);
  return Number.isNaN(time) ? undefined : Math.max(0, time - now);
}

export const sleep = (milliseconds: number) =>
  new Promise<void>((resolve) => setTimeout(resolve, milliseconds));
