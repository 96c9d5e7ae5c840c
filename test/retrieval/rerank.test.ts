import { describe, expect, it } from 'vitest';
import { createBuiltinReranker } from '#src/builtin/reranker.ts';
import type { AiBinding } from '#src/models/definition/definition.ts';
import { readConfiguredRerankers } from '#src/models/reranking/configured.ts';
import { workersAi } from '#src/models/reranking/workers-ai.ts';
import type { RerankCandidate, Reranker } from '#src/ports/reranker.ts';
import { createReport, type RankedChunk } from '#src/retrieval/ports.ts';
import { rerankChunks } from '#src/retrieval/rerank-chunks.ts';
import { modelDeps } from '#test/support/models.ts';

const ranked = (id: string, text: string, title = ''): RankedChunk => ({
  score: 1,
  chunk: {
    id,
    documentId: id,
    position: 0,
    text,
    headings: [],
    startChar: 0,
    endChar: text.length,
    hash: '',
    title,
    metadata: { file_name: title },
  },
});
const nothingHidden = { hiddenKeys: [], readDocumentHiddenKeys: async () => new Map<string, string[]>() };
const found = [
  ranked('a', 'The ferry is green.', 'ferries.pdf'),
  ranked('b', 'Tides reach four metres.', 'tides.pdf'),
];

/** Stubs Workers AI with scores that fall with the text length. */
const binding: AiBinding & { asked: unknown[] } = {
  asked: [],
  async run(...input) {
    this.asked.push(input);
    const contexts = input[1].contexts as { text: string }[];
    return { response: contexts.map(({ text }, id) => ({ id, score: 1 / text.length })) };
  },
};
const workersAiReranker = (AI: AiBinding, model: string, timeout = 15) =>
  workersAi.open({ model, timeout }, modelDeps({ AI }));

it('the built-in reranker applies the rules of the chunk’s language', async () => {
  const chunks = [ranked('a', 'Dorf, Kirche'), ranked('b', 'Dorf, Haus')];
  const ports = { reranker: createBuiltinReranker(), ...nothingHidden };
  const german = chunks.map(({ chunk, score }) => ({ score, chunk: { ...chunk, language: 'de' } }));
  const report = createReport();
  const order = async (found: RankedChunk[]) =>
    (await rerankChunks('Häuser', found, 2, ports, report)).map(({ chunk }) => chunk.id);
  expect(await order(german)).toEqual(['b', 'a']);
  // The language of so few words cannot be detected. By English rules, neither chunk has a word of the query.
  expect(await order(chunks)).toEqual(['a', 'b']);
});

describe('the number of reranked chunks', () => {
  /** The best chunk by its words is last in the search results. */
  const many = (count: number) =>
    Array.from({ length: count }, (_, i) =>
      ranked(`c${i}`, i === count - 1 ? 'Tides reach four metres.' : 'The ferry has tides.'),
    );

  it('does not depend on how many results are requested', async () => {
    const ports = { reranker: createBuiltinReranker(), ...nothingHidden };
    for (const topN of [1, 2, 6, 50]) {
      const result = await rerankChunks('tides reach metres', many(60), topN, ports, createReport());
      expect([topN, result[0]?.chunk.id, result.length]).toEqual([topN, 'c59', topN]);
    }
  });

  it('is at most 200, and at most 100 for a model', async () => {
    const counts: number[] = [];
    const reranker: Reranker = {
      modelId: 'spy',
      async rerank(_query, candidates) {
        counts.push(candidates.length);
        throw new Error('no');
      },
    };
    const ports = { reranker, ...nothingHidden };
    const result = await rerankChunks('tides', many(300), 300, ports, createReport());
    expect([counts, result.length]).toEqual([[100], 200]);
  });

  it('keeps chunks with the same id apart, and calls no reranker without chunks', async () => {
    const ports = { reranker: createBuiltinReranker(), ...nothingHidden };
    const twice = [
      { ...found[0]!, from: 1 },
      { ...found[0]!, from: 2 },
    ];
    const result = await rerankChunks('ferry', twice, 2, ports, createReport());
    expect(result.map(({ from }) => from).sort()).toEqual([1, 2]);
    const report = createReport();
    const reranker: Reranker = { modelId: 'spy', rerank: () => Promise.reject(new Error('asked')) };
    expect(await rerankChunks('x', [], 2, { reranker, ...nothingHidden }, report)).toEqual([]);
    expect(report.notes).toEqual({});
  });
});

describe('model rerankers', () => {
  it('sends title and text to Workers AI, and uses the order of its scores', async () => {
    const report = createReport();
    const reranker = workersAiReranker(binding, '@cf/baai/bge-reranker-base');
    const result = await rerankChunks('tides', found, 1, { reranker, ...nothingHidden }, report);
    expect(binding.asked).toEqual([
      [
        '@cf/baai/bge-reranker-base',
        {
          query: 'tides',
          contexts: [
            { text: 'ferries.pdf\nThe ferry is green.' },
            { text: 'tides.pdf\nTides reach four metres.' },
          ],
          top_k: 1,
        },
      ],
    ]);
    expect(result.map(({ chunk }) => chunk.id)).toEqual(['a']);
    expect(report.notes).toEqual({ reranker: 'workers-ai/@cf/baai/bge-reranker-base' });
  });

  it('do not see a title that the document hides', async () => {
    const titles: string[] = [];
    const reranker: Reranker = {
      modelId: 'spy',
      async rerank(_query, candidates) {
        titles.push(...candidates.map(({ title }) => title));
        return candidates.map(({ id }) => ({ id, score: 1 }));
      },
    };
    const chunks = found.map(({ chunk, score }) => ({
      score,
      chunk: { ...chunk, documentId: `of ${chunk.id}` },
    }));
    const readDocumentHiddenKeys = async () => new Map([['of a', ['file_name']]]);
    await rerankChunks(
      'tides',
      chunks,
      2,
      { reranker, hiddenKeys: [], readDocumentHiddenKeys },
      createReport(),
    );
    expect(titles).toEqual(['', 'tides.pdf']);
  });

  it('fall back to the built-in reranker if they fail, with a note', async () => {
    const reranker: Reranker = {
      modelId: 'broken/model',
      rerank: () => Promise.reject(new Error('out of capacity')),
    };
    const report = createReport();
    const result = await rerankChunks('tides metres', found, 2, { reranker, ...nothingHidden }, report);
    expect(result[0]?.chunk.id).toBe('b');
    expect(report.notes.reranker).toMatch(/^builtin\//);
    expect(report.notes.reranker_fallback).toBe('broken/model failed: out of capacity');
  });

  it.each([
    ['nothing', []],
    ['too few', [{ id: 1, score: 0.9 }]],
    [
      'the same twice',
      [
        { id: 1, score: 0.9 },
        { id: 1, score: 0.8 },
      ],
    ],
    [
      'what is not there',
      [
        { id: 1, score: 0.9 },
        { id: 7, score: 0.8 },
      ],
    ],
  ])(
    'fall back to the built-in reranker without losing a chunk if they rank %s',
    async (_title, response) => {
      const reranker = workersAiReranker({ run: async () => ({ response }) }, 'm');
      const report = createReport();
      const result = await rerankChunks('tides', found, 6, { reranker, ...nothingHidden }, report);
      expect(result).toHaveLength(2);
      expect(report.notes.reranker).toMatch(/^builtin\//);
      expect(report.notes.reranker_fallback).toMatch(/ranked only \d of 2/);
    },
  );

  it('fall back to the built-in reranker after the timeout', async () => {
    const reranker = workersAiReranker({ run: () => new Promise(() => {}) }, 'm', 0.01);
    const report = createReport();
    const result = await rerankChunks('tides', found, 2, { reranker, ...nothingHidden }, report);
    expect([result.length, report.notes.reranker_fallback]).toEqual([
      2,
      expect.stringContaining('did not answer within'),
    ]);
  });

  it('see no file name that the pipeline or the document hides from models', async () => {
    const seen: RerankCandidate[] = [];
    const reranker: Reranker = {
      modelId: 'spy',
      async rerank(_query, candidates) {
        seen.push(...candidates);
        return [];
      },
    };
    await rerankChunks(
      'tides',
      found,
      2,
      { reranker, ...nothingHidden, hiddenKeys: ['file_name'] },
      createReport(),
    );
    expect(seen.map(({ title }) => title)).toEqual(['', '']);
    seen.length = 0;
    const readDocumentHiddenKeys = async () => new Map([['a', ['file_name']]]);
    await rerankChunks(
      'tides',
      found,
      2,
      { reranker, hiddenKeys: [], readDocumentHiddenKeys },
      createReport(),
    );
    expect(seen.map(({ title }) => title)).toEqual(['', 'tides.pdf']);
  });

  it('are chosen from the configuration', () => {
    const getConfiguredKind = (settings: Parameters<typeof readConfiguredRerankers>[0], AI?: AiBinding) =>
      readConfiguredRerankers(settings, { AI }, () => undefined).defaultReranker.kind;
    expect(getConfiguredKind({})).toBe('builtin');
    expect(getConfiguredKind({ RERANK_MODEL: '@cf/baai/bge-reranker-base' })).toBe('builtin');
    expect(getConfiguredKind({ RERANK_MODEL: '@cf/baai/bge-reranker-base' }, binding)).toBe('workers_ai');
    expect(getConfiguredKind({ RERANK_MODEL: 'm', RERANK_BASE_URL: 'http://127.0.0.1:9/v2' })).toBe('cohere');
  });

  it('are configured by kind, and a configuration error names the field but no value', () => {
    const read = (RERANK_MODELS: string, settings = {}) =>
      readConfiguredRerankers({ RERANK_MODELS, ...settings }, {}, (name) =>
        name === 'KEY' ? 'held' : undefined,
      );
    const given = { cohere: { model: 'm', api_key: { variable: 'KEY' } } };
    expect(read(JSON.stringify(given)).byKind.cohere?.settings).toMatchObject({
      model: 'm',
      api_key: 'held',
    });
    expect(read('{}', { RERANK_MODEL: 'm', RERANK_BASE_URL: 'http://r.test' }).byKind.cohere).toBeDefined();
    for (const [text, problem] of [
      ['{"bedrock":{"model":"m","secret_access_key":"sk"', /^RERANK_MODELS: is not valid JSON$/],
      [
        '{"bedrock":{"model":"m","access_key_id":"a","secret_access_key":"sk"}}',
        /^RERANK_MODELS\.bedrock\.region: /,
      ],
      ['{"cohere":{"model":"m","api_key":"sk","colour":"sk"}}', /^RERANK_MODELS\.cohere: .*"colour"/],
      ['{"voyage":{"model":"sk"}}', /^RERANK_MODELS/],
    ] as const) {
      const { problems, byKind } = read(text);
      expect(problems).toEqual([expect.stringMatching(problem)]);
      expect(problems[0]).not.toContain('sk');
      expect(byKind).toEqual({});
    }
  });
});
