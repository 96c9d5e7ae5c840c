import { expect, it } from 'vitest';
import * as backoff from '#src/work/backoff.ts';

const {
  MAX_DELIVERY_ATTEMPTS,
  secondsUntilRateLimitRetry: secondsAsPatient,
  secondsUntilNextStart,
} = backoff;
const { secondsUntilRedelivery, secondsUntilRetry } = backoff;

it('doubles the retry delay after each failure, up to one minute, with jitter', () => {
  expect([1, 2, 3, 6, 50].map((n) => secondsUntilRetry(n, 0.5))).toEqual([2, 4, 8, 60, 60]);
  expect([secondsUntilRetry(3, 0), secondsUntilRetry(3, 1)]).toEqual([4, 12]);
});

it('waits longer after each start that did not end', () => {
  expect([1, 2, 3, 9].map((n) => secondsUntilNextStart(n, 5, 0.5))).toEqual([5, 15, 45, 300]);
});

it('never retries before the requested delay', () => {
  expect(secondsAsPatient(40, 0)).toBe(40);
  expect(secondsAsPatient(40, 1)).toBe(50);
  expect(secondsAsPatient(0, 1)).toBe(1);
});

it('increases the delay between deliveries up to four hours, and waits at least as long as the receiver asks', () => {
  const attempts = Array.from({ length: MAX_DELIVERY_ATTEMPTS - 1 }, (_, n) => n + 1);
  const waits = attempts.map((attempt) => secondsUntilRedelivery(attempt, 0, 0.5));
  expect(waits).toEqual([5, 20, 80, 320, 1280, 5120, 14_400, 14_400]);
  expect(secondsUntilRedelivery(3, 0, 0)).toBe(64);
  expect(secondsUntilRedelivery(3, 0, 1)).toBeCloseTo(96);
  expect(secondsUntilRedelivery(1, 600)).toBe(600);
  expect(secondsUntilRedelivery(8, 1)).toBeGreaterThan(10_000);
});
