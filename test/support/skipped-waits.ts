import { onTestFinished, vi } from 'vitest';

/** Waits between attempts, in milliseconds. */
const WAITS = { least: 200, most: 8_000 };
/** A time limit of at least this many seconds is told apart from a wait between attempts and is kept. */
export const LEAST_KEPT_LIMIT_SECONDS = WAITS.most / 1000;

/** Has the code under test wait no longer than a moment between its attempts, until the test ends. */
export function skipWaits(): void {
  const real = globalThis.setTimeout;
  const spy = vi.spyOn(globalThis, 'setTimeout').mockImplementation(((
    work: (...given: unknown[]) => void,
    delay = 0,
    ...given: unknown[]
  ) => {
    const isWait = delay >= WAITS.least && delay < WAITS.most;
    return real(work, isWait ? 1 : delay, ...given);
  }) as typeof setTimeout);
  onTestFinished(() => spy.mockRestore());
}
