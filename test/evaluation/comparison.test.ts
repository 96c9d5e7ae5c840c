import { describe, expect, it } from 'vitest';
import { bootstrapMean } from '#src/evaluation/bootstrap.ts';
import { compareValues } from '#src/evaluation/compare-values.ts';
import { containsKeyContent } from '#src/evaluation/measure-answer.ts';

const NAMES = { first: 'A', second: 'B' };
const pairs = (differences: number[]) => differences.map((second) => ({ first: 0, second }));

describe('the bootstrap', () => {
  it('gives an interval without width for a constant difference', () => {
    const { mean, low, high, samples } = bootstrapMean(Array.from({ length: 40 }, () => 0.25));
    expect({ mean, low, high, samples }).toEqual({ mean: 0.25, low: 0.25, high: 0.25, samples: 10_000 });
    expect(bootstrapMean([])).toMatchObject({ mean: 0, low: 0, high: 0 });
  });

  it('agrees with the normal approximation for a known variance', () => {
    // Half of the differences are 1 and half are 0: the mean has the standard error 0.5 / sqrt(n).
    const count = 400;
    const found = bootstrapMean(Array.from({ length: count }, (_, at) => at % 2));
    const expected = (1.959964 * 0.5) / Math.sqrt(count);
    expect(found.mean).toBe(0.5);
    expect(found.high - found.mean).toBeCloseTo(expected, 2);
    expect(found.mean - found.low).toBeCloseTo(expected, 2);
    expect(Math.abs((found.high - found.low) / 2 / expected - 1)).toBeLessThan(0.06);
  });

  it('gives the same interval for the same seed, and bounds the work for large sets', () => {
    const differences = Array.from({ length: 200 }, (_, at) => Math.sin(at));
    expect(bootstrapMean(differences, 7)).toEqual(bootstrapMean(differences, 7));
    expect(bootstrapMean(differences, 7)).not.toEqual(bootstrapMean(differences, 8));
    expect(bootstrapMean(Array.from({ length: 10_000 }, (_, at) => at % 3)).samples).toBe(2_000);
  });
});

describe('a comparison', () => {
  it('says that the second run is better, with the number of changed questions', () => {
    const found = compareValues(
      'ndcg@10',
      pairs([...Array(12).fill(0.5), ...Array(3).fill(-0.1), 0, 0]),
      NAMES,
    );
    expect(found).toMatchObject({ verdict: 'better', improved: 12, worsened: 3, unchanged: 2 });
    expect(found.summary).toMatch(
      /^B is better than A by 0\.335 ± 0\.1\d\d in ndcg@10; 12 questions improved, 3 got worse\.$/,
    );
    expect(found.difference.low).toBeGreaterThan(0);
  });

  it('says that the second run is worse, and that lower latencies are better', () => {
    expect(compareValues('mrr', pairs([-0.5, -0.5, -0.4, -0.6]), NAMES)).toMatchObject({ verdict: 'worse' });
    const slower = compareValues('latency_ms', pairs([20, 30, 25, 22]), NAMES);
    expect(slower).toMatchObject({ verdict: 'worse', improved: 0, worsened: 4 });
    expect(slower.summary).toContain('B is worse than A by 24 ms');
  });

  it('says that there is no clear difference if the interval contains 0', () => {
    const found = compareValues('recall@5', pairs([1, -1, 1, -1, 0, 0]), NAMES);
    expect(found).toMatchObject({ verdict: 'no_clear_difference', improved: 2, worsened: 2 });
    expect(found.summary).toContain('No clear difference between A and B in recall@5');
    expect(compareValues('mrr', pairs([0, 0, 0]), NAMES).verdict).toBe('no_clear_difference');
    expect(compareValues('mrr', [], NAMES).summary).toBe('A and B have no question in common.');
  });
});

describe('an answer', () => {
  it.each([
    ['The rent is 900 euros per month.', 'rent of 900 euros', true],
    ['The rent is 950 euros per month.', 'rent of 900 euros', false],
    ['It ends on 3 May 2026 [1].', '3 May 2026', true],
    ['It ends in spring.', '3 May 2026', false],
    ['合同于五月结束。', '五月', true],
    ['Nothing.', '…', false],
  ])('%s: contains the key content of %s: %s', (answer, expected, result) => {
    expect(containsKeyContent(answer, expected)).toBe(result);
  });
});
