import { expect, it } from 'vitest';
import { findInOrder } from '#src/lib/text/find-in-order.ts';

it('finds the parts of a text in order', () => {
  expect(findInOrder('a\n\nb\n\na', ['a', 'b', 'a'])).toEqual([0, 3, 6]);
});

it('skips text between parts and takes the first match', () => {
  expect(findInOrder('head\na b a', ['a', 'b'])).toEqual([2, 7]);
  expect(findInOrder('x\nb\nb', ['b'])).toEqual([2]);
});

it('returns -1 for a missing part and continues after the previous part', () => {
  expect(findInOrder('a\n\nb', ['a', 'c', 'b'])).toEqual([0, -1, 3]);
  expect(findInOrder('a\n\nb', ['b', 'a'])).toEqual([3, -1]);
});

it('compares the whole of a long part', () => {
  const long = 'a'.repeat(2_000);
  expect(findInOrder(`x ${long}`, [long])).toEqual([2]);
  expect(findInOrder(`x ${long}`, [`${long}b`])).toEqual([-1]);
});

it('stops searching far ahead after many missing parts and still finds the next part', () => {
  const missing = Array.from({ length: 200 }, (_, at) => `missing ${at}`);
  expect(findInOrder('a\n\nb\n\nc d', ['a', ...missing, 'b', 'd'])).toEqual([
    0,
    ...missing.map(() => -1),
    3,
    -1,
  ]);
});
