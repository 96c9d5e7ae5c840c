import { expect, it } from 'vitest';
import { hasMoreValuesThan, isDeeperThan } from '#src/lib/json/json-extent.ts';

const nested = (levels: number): unknown => JSON.parse(`${'[{"a":'.repeat(levels)}1${'}]'.repeat(levels)}`);

it('counts nesting levels of objects and lists at any depth', () => {
  expect(isDeeperThan(1, 0)).toBe(false);
  expect(isDeeperThan({}, 0)).toBe(true);
  expect(isDeeperThan({ a: [] }, 1)).toBe(true);
  expect(isDeeperThan({ a: [] }, 2)).toBe(false);
  expect(isDeeperThan(nested(50_000), 99_999)).toBe(true);
  expect(isDeeperThan(nested(50_000), 100_000)).toBe(false);
});

it('counts members and items at all levels', () => {
  expect(hasMoreValuesThan('text', 0)).toBe(false);
  expect(hasMoreValuesThan({ a: [1, 2, { b: null }] }, 4)).toBe(true);
  expect(hasMoreValuesThan({ a: [1, 2, { b: null }] }, 5)).toBe(false);
  expect(hasMoreValuesThan(nested(50_000), 99_999)).toBe(true);
});
