/**
 * Creates a stopwatch that measures the stages of a call in seconds. `lap` ends the current stage and records
 * its duration under the given name.
 */
export function createStopwatch(): { laps: Record<string, number>; lap(name: string): void } {
  const laps: Record<string, number> = {};
  let last = performance.now();
  return {
    laps,
    lap(name) {
      const now = performance.now();
      laps[name] = (now - last) / 1000;
      last = now;
    },
  };
}
