/** Seconds spent in each stage, by name. */
export function stopwatch(): { laps: Record<string, number>; lap(name: string): void } {
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
