import { afterAll, beforeAll, vi } from 'vitest';

/**
 * Gives all tests of the calling file a clock that stands still until the test moves it: `Date`, timers and
 * `scheduler.wait`. Returns the function that lets milliseconds pass and runs the timers that become due meanwhile.
 */
export function useFakeClock(): (milliseconds: number) => Promise<unknown> {
  beforeAll(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'Date'] });
    const wait = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
    vi.stubGlobal('scheduler', { wait });
  });
  afterAll(() => {
    vi.unstubAllGlobals();
    vi.useRealTimers();
  });
  return (milliseconds) => vi.advanceTimersByTimeAsync(milliseconds);
}
