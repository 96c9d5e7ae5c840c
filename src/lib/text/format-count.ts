/** Returns a number with its noun, such as `1 row` or `2 rows`. The plural ends in s. */
export const formatCount = (count: number, noun: string): string =>
  `${count} ${noun}${count === 1 ? '' : 's'}`;
