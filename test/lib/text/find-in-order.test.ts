import { expect, it } from 'vitest';
import { findInOrder } from '#src/lib/text/find-in-order.ts';

it('finds the parts of a text one after the other', () => {
  expect(findInOrder('a\n\nb\n\na', ['a', 'b', 'a'])).toEqual([0, 3, 6]);
});

it('skips what stands between two parts, and takes the first place that fits', () => {
  expect(findInOrder('head\na b a', ['a', 'b'])).toEqual([2, 7]);
  expect(findInOrder('x\nb\nb', ['b'])).toEqual([2]);
});

it('leaves out a part that is not there, and goes on behind the part before it', () => {
  expect(findInOrder('a\n\nb', ['a', 'c', 'b'])).toEqual([0, -1, 3]);
  expect(findInOrder('a\n\nb', ['b', 'a'])).toEqual([3, -1]);
});

it('compares the whole of a long part', () => {
  const long = 'a'.repeat(2_000);
  expect(findInOrder(`x ${long}`, [long])).toEqual([2]);
  expect(findInOrder(`x ${long}`, [`${long}b`])).toEqual([-1]);
});

it('gives up searching after many parts that are nowhere, and still finds what follows at once', () => {
  const missing = Array.from({ length: 200 }, (_, at) => `missing ${at}`);
  expect(findInOrder('a\n\nb\n\nc d', ['a', ...missing, 'b', 'd'])).toEqual([
    0,
    ...missing.map(() => -1),
    3,
    -1,
  ]);
});
