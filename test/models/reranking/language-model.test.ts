import { describe, expect, it } from 'vitest';
import { openaiCompatible } from '#src/models/language/openai-compatible.ts';
import { languageModel } from '#src/models/reranking/language-model.ts';
import { FakeRanker, rerankCandidate, rerankerSuite } from '#test/suites/reranker.suite.ts';
import { modelSaying } from '#test/support/fake-model.ts';
import { modelDeps } from '#test/support/models.ts';
import { openaiChat } from '#test/vendors/chat/protocols/openai.ts';

const model = new FakeRanker();
const isPlace = (value: unknown): value is { index: unknown; score: unknown } =>
  typeof value === 'object' && value !== null && 'index' in value;

interface Shown {
  query: string;
  wanted: number;
  passages: { number: number; text: string }[];
}

/** Chat endpoint whose model ranks numbered passages. */
async function serve(request: Request): Promise<Response> {
  const asked = openaiChat.read(await request.json());
  const { query, wanted, passages } = JSON.parse(asked.prompt) as Shown;
  const numbers = passages.map(({ number }) => number);
  if (numbers.some((number, index) => number !== index + 1)) return new Response('numbers', { status: 400 });
  const texts = passages.map(({ text }) => text);
  const said = await model.rank(query, texts, wanted).catch(() => undefined);
  if (said === undefined) return new Response('{}', { status: 503 });
  const ranking = Array.isArray(said)
    ? said
        .filter(isPlace)
        .toSorted((a, b) => Number(b.score) - Number(a.score) || Number(a.index) - Number(b.index))
        .map(({ index }) => (typeof index === 'number' ? index + 1 : index))
    : said;
  return Response.json(openaiChat.write(JSON.stringify({ ranking }), 'whole', asked));
}

const settings = { base_url: 'http://llm.test/v1', model: 'talker' };
const limits = { silenceSeconds: 5, totalSeconds: 5, retries: 0 };
const talker = () => openaiCompatible.openWithin(settings, limits, modelDeps());

rerankerSuite({
  name: 'language model',
  model,
  serve,
  completes: true,
  open: (given = {}) => languageModel.open({ model: talker(), ...given }, modelDeps()),
});

describe('ranking by a language model', () => {
  const candidates = ['a', 'b', 'c', 'd'].map((id) => rerankCandidate(id, `Text ${id}.`));
  const order = async (ranking: unknown) => {
    const reranker = languageModel.open({ model: modelSaying({ ranking }) }, modelDeps());
    return (await reranker.rerank('q', candidates)).map(({ id }) => id).join('');
  };

  it.each<[string, unknown[], string]>([
    ['as it is said', [3, 1, 4, 2], 'cadb'],
    ['without numbers of no passage', [9, 0, -1, 2.5, '1', null, 3, 1, 4, 2], 'cadb'],
    ['each passage once', [3, 3, 1, 3, 4, 2], 'cadb'],
    ['with what was left out behind, as it came', [3], 'cabd'],
  ])('is returned %s', async (_, ranking, wanted) => {
    expect(await order(ranking)).toBe(wanted);
  });

  it.each([[[]], [[0, 99]], [['a', 'b']], ['none'], [undefined]])(
    'is rejected if the model answers %j',
    async (ranking) => {
      await expect(order(ranking)).rejects.toMatchObject({ code: 'upstream', retryable: false });
    },
  );

  it('places passages that the model did not see behind those that it saw', async () => {
    const many = Array.from({ length: 60 }, (_, index) => rerankCandidate(String(index), `Text ${index}.`));
    const reranker = languageModel.open({ model: modelSaying({ ranking: [40, 41, 60] }) }, modelDeps());
    const ids = (await reranker.rerank('q', many)).map(({ id }) => id);
    expect(ids.slice(0, 3)).toEqual(['39', '0', '1']);
    expect(ids.at(-1)).toBe('59');
    expect(ids).toHaveLength(60);
  });
});
