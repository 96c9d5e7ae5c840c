import { expect, it } from 'vitest';
import { workersAi } from '#src/models/reranking/workers-ai.ts';
import { FakeRanker, rerankerSuite } from '#test/suites/reranker.suite.ts';
import { modelDeps } from '#test/support/models.ts';

const model = new FakeRanker();
const isPlace = (value: unknown): value is { index: unknown; score: unknown } =>
  typeof value === 'object' && value !== null && 'index' in value;

/** Fake binding with the published interface. */
const AI = {
  async run(name: string, input: Record<string, unknown>): Promise<unknown> {
    const { query, contexts, top_k, ...rest } = input;
    if (name !== '@cf/baai/bge-reranker-base' || Object.keys(rest).length > 0)
      throw new Error('5007: no such');
    const texts = (contexts as { text: string }[]).map(({ text }) => text);
    const said = await model.rank(query as string, texts, top_k as number);
    if (!Array.isArray(said)) return { response: said };
    return { response: said.filter(isPlace).map(({ index, score }) => ({ id: index, score })) };
  },
};

rerankerSuite({
  name: 'Workers AI',
  model,
  open: (given = {}) => workersAi.open({ model: '@cf/baai/bge-reranker-base', ...given }, modelDeps({ AI })),
});

it('throws if the binding is missing', () => {
  expect(() => workersAi.open({ model: '@cf/m' }, modelDeps())).toThrow('binding is missing');
});
