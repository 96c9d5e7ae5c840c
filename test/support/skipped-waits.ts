import { onTestFinished, vi } from 'vitest';

/** Waits between attempts, in milliseconds. Time limits that a test leaves as they are last longer. */
const WAITS = { least: 200, most: 8_000 };

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
