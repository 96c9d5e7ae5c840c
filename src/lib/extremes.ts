// Minimum and maximum of long lists. `Math.max(...values)` throws a RangeError above about 100,000 arguments,
// which the words of a long page can exceed.

/** Returns the largest of any number of values, and at least `floor`. */
export function largest(values: Iterable<number>, floor = Number.NEGATIVE_INFINITY): number {
  let most = floor;
  for (const value of values) most = Math.max(most, value);
  return most;
}

/** Returns the smallest of any number of values, and at most `ceiling`. */
export function smallest(values: Iterable<number>, ceiling = Number.POSITIVE_INFINITY): number {
  let least = ceiling;
  for (const value of values) least = Math.min(least, value);
  return least;
}
