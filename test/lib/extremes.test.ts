import { expect, it } from 'vitest';
import { largest, smallest } from '#src/lib/extremes.ts';

it('finds the extremes of more values than a call can have arguments', () => {
  const values = Array.from({ length: 500_000 }, (_, at) => (at * 7_919) % 500_009);
  expect(largest(values)).toBe(values.reduce((most, value) => Math.max(most, value), 0));
  expect(smallest(values)).toBe(0);
});

it('applies a floor and a ceiling', () => {
  expect(largest([], 3)).toBe(3);
  expect(largest([1], 3)).toBe(3);
  expect(smallest([5], 3)).toBe(3);
  expect([largest([]), smallest([])]).toEqual([-Infinity, Infinity]);
});
