/** Measures the seconds spent in each stage. `lap` ends the current stage and records it under a name. */
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
