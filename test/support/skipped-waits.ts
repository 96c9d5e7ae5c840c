import { onTestFinished, vi } from 'vitest';

/** Waits between attempts, in milliseconds. */
const WAITS = { least: 200, most: 8_000 };
/**
 * Smallest time limit in seconds that `skipWaits` does not take for a wait between attempts. The code under test may set
 * a timer for the rest of a limit, which is shorter.
 */
export const LEAST_KEPT_LIMIT_SECONDS = (2 * WAITS.most) / 1000;
/** Time limit in seconds for servers that stay silent. It is too short to be taken for a wait. */
export const SILENCE_SECONDS = 0.15;

/** Shortens the waits between attempts of the code under test to a millisecond until the test ends. */
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
