import { expect, it } from 'vitest';
import { TokenBuckets } from '#src/lib/token-buckets.ts';

const clocked = (perMinute: number) => {
  const clock = { now: 1_000 };
  return { clock, buckets: new TokenBuckets(perMinute, () => clock.now) };
};

it("allows a minute's worth at once, then one more after each announced wait", () => {
  const { clock, buckets } = clocked(6);
  for (let taken = 0; taken < 6; taken += 1) expect(buckets.take('a')).toBe(0);
  const wait = buckets.take('a');
  expect(wait).toBe(10);
  clock.now += wait * 1000 - 1;
  expect(buckets.take('a')).toBeGreaterThan(0);
  clock.now += 1;
  expect(buckets.take('a')).toBe(0);
  expect(buckets.take('a')).toBe(10);
});

it('counts each name separately', () => {
  const { buckets } = clocked(1);
  expect(buckets.take('a')).toBe(0);
  expect(buckets.isEmpty('a')).toBe(true);
  expect(buckets.isEmpty('b')).toBe(false);
  expect(buckets.take('b')).toBe(0);
});

it("never holds more than a minute's worth", () => {
  const { clock, buckets } = clocked(2);
  buckets.take('a');
  clock.now += 3_600_000;
  buckets.refund('a');
  expect([1, 2, 3].map(() => buckets.take('a'))).toEqual([0, 0, 30]);
});

it('returns an unused token', () => {
  const { buckets } = clocked(1);
  expect(buckets.take('a')).toBe(0);
  buckets.refund('a');
  expect(buckets.take('a')).toBe(0);
});

it('treats 0 as unlimited', () => {
  const { buckets } = clocked(0);
  for (let taken = 0; taken < 1000; taken += 1) expect(buckets.take('a')).toBe(0);
  expect(buckets.isEmpty('a')).toBe(false);
});

it('evicts the name that was idle for longest when there are too many', () => {
  const { buckets } = clocked(1);
  buckets.take('first');
  buckets.take('second');
  for (let at = 0; at < 9_999; at += 1) buckets.take(`other ${at}`);
  expect(buckets.isEmpty('first')).toBe(false);
  expect(buckets.isEmpty('second')).toBe(true);
});
