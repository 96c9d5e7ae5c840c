import { expect, it } from 'vitest';
import { BudgetTooSmall, keepBetterHalf, planShares } from '#src/evaluation/halving.ts';

it('plans rounds that cost about the same and end with all questions', () => {
  expect(planShares(8, 400, 10_000)).toEqual([0.25, 0.5, 1]);
  expect(planShares(1, 400, 10_000)).toEqual([1]);
  // With few questions, every round uses all of them.
  expect(planShares(4, 8, 1_000)).toEqual([1, 1]);
  const shares = planShares(8, 400, 1_200);
  const cost = shares.reduce((sum, share, round) => sum + Math.ceil(share * 400) * (8 / 2 ** round), 0);
  expect(cost).toBeLessThanOrEqual(1_200);
  expect(cost).toBeGreaterThan(900);
  expect(() => planShares(8, 400, 100)).toThrow(BudgetTooSmall);
});

it('keeps the better half, and the earlier of equal candidates', () => {
  const measured = [
    { candidate: 'a', value: 0.5 },
    { candidate: 'b', value: 0.7 },
    { candidate: 'c', value: 0.5 },
  ];
  expect(keepBetterHalf(measured, false)).toEqual(['b', 'a']);
  expect(keepBetterHalf(measured, true)).toEqual(['a', 'c']);
});
