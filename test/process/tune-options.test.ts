import { expect, it } from 'vitest';
import { parseOptions } from '#scripts/tune/options.ts';

it('the options have defaults', () => {
  expect(parseOptions(['--set', 'a', '--pipeline', 'b', '--chunk-sizes', '256,512'])).toMatchObject({
    metric: 'ndcg@10',
    alphas: [0, 0.25, 0.5, 0.75, 1],
    reranking: [true, false],
    chunkSizes: [256, 512],
    budget: 2_000,
    keep: false,
  });
  expect(parseOptions(['--help'])).toBeUndefined();
});

it.each([
  [[], '--set is missing'],
  [['--set', 'a'], '--pipeline is missing'],
  [['--set', 'a', '--pipeline', 'b', '--metric', 'beauty'], '--metric must be one of'],
  [['--set', 'a', '--pipeline', 'b', '--alpha', '0,2'], "'2' is not allowed in --alpha"],
  [['--set', 'a', '--pipeline', 'b', '--reranking', 'maybe'], '--reranking must be'],
  [['--set', 'a', '--pipeline', 'b', '--chunk-sizes', '256,'], "'' is not allowed in --chunk-sizes"],
])('the options %j are refused', (args, message) => {
  expect(() => parseOptions(args)).toThrow(message);
});
