import { describe, expect, it, vi } from 'vitest';
import { createBuiltinEmbedder } from '#src/builtin/embedder.ts';
import { Upstream } from '#src/lib/errors.ts';
import type { Embedder, SparseEmbedder } from '#src/ports/embedder.ts';
import type { SinkQuery, StoredChunk } from '#src/ports/index-types.ts';
import type { Sink } from '#src/ports/sink.ts';
import { retrieve } from '#src/retrieval/index.ts';
import { type CatalogEntry, createReport, type RetrievalPorts } from '#src/retrieval/ports.ts';
import { DEFAULTS, type RetrievalParameters } from '#src/retrieval-contract/parameters.ts';
import { modelOf, modelSaying } from '#test/support/fake-model.ts';

const createChunk = (documentId: string, text: string): StoredChunk => ({
  id: `chunk of ${documentId}`,
  documentId,
  position: 0,
  text,
  headings: [],
  startChar: 0,
  endChar: text.length,
  hash: '',
  title: documentId,
  metadata: {},
});
const tides = createChunk('tides.txt', 'Tides reach four metres.');
const ferry = createChunk('ferry.txt', 'The ferry has tides.');

/** Creates a retrieval service whose index returns these chunks, and records the index queries. */
function createRetrieval(chunks: StoredChunk[], more: Partial<RetrievalPorts> = {}) {
  const queries: SinkQuery[] = [];
  const sink = {
    kind: 'test',
    capabilities: { sparse: 'native' },
    async query(query: SinkQuery) {
      queries.push(query);
      const sparse = chunks.map(({ id, documentId }, place) => ({ id, documentId, score: 9 - place }));
      return { chunks, dense: [], sparse, timings: {} };
    },
    listChunks: async (id: string) => chunks.filter(({ documentId }) => documentId === id),
  } as unknown as Sink;
  const ports: RetrievalPorts = {
    sink,
    embedder: createBuiltinEmbedder(),
    reranker: {
      modelId: 'reversing',
      rerank: async (_query, candidates) =>
        candidates.toReversed().map(({ id }, place) => ({ id, score: 0.5 / (1 + place) })),
    },
    language: async () => undefined,
    hiddenKeys: [],
    readDocumentHiddenKeys: async () => new Map(),
    catalog: async function* () {
      yield chunks.map(({ documentId, title, metadata }): CatalogEntry => ({ documentId, title, metadata }));
    },
    firstEntries: async () => [],
    ...more,
  };
  const ask = (query: string, parameters: Partial<RetrievalParameters> = {}) =>
    retrieve(query, { ...DEFAULTS, ...parameters }, ports);
  return { ask, queries };
}

const documents = ({ chunks }: { chunks: { chunk: StoredChunk }[] }) =>
  chunks.map(({ chunk }) => chunk.documentId);

describe('the answer of a retrieval', () => {
  it('reports the retrieval mode, the components used and the duration of each stage', async () => {
    const { ask } = createRetrieval([tides, ferry]);
    const answer = await ask('tides');
    expect(answer.notes).toMatchObject({ retrieval_mode: 'chunks', sink: 'test', reranker: 'reversing' });
    expect(Object.keys(answer.latency)).toEqual(
      expect.arrayContaining(['embedding', 'search', 'rerank', 'total']),
    );
    const routed = await ask('Summarize the tides', { retrieval_mode: 'auto_routed' });
    expect(routed.notes).toMatchObject({ retrieval_mode: 'files_via_content', router: 'builtin/wording-1' });
  });

  it('adds up the durations of a stage that runs twice', async () => {
    const report = createReport();
    const now = vi.spyOn(performance, 'now');
    for (const at of [1_000, 3_500, 10_000, 10_250]) now.mockReturnValueOnce(at);
    await report.timed('search', async () => 'found');
    await report.timed('search', () => Promise.reject(new Error('no'))).catch(() => undefined);
    now.mockRestore();
    expect(report.latency).toEqual({ search: 2.75 });
  });

  it('is reranked, even with a single chunk, unless the caller disables reranking', async () => {
    const { ask } = createRetrieval([tides, ferry]);
    expect(documents(await ask('tides'))).toEqual(['ferry.txt', 'tides.txt']);
    expect(documents(await ask('tides', { enable_reranking: false }))).toEqual(['tides.txt', 'ferry.txt']);
    for (const retrieval_mode of ['chunks', 'files_via_content'] as const) {
      const { chunks } = await createRetrieval([tides]).ask('tides', { retrieval_mode });
      expect([retrieval_mode, chunks[0]?.score]).toEqual([retrieval_mode, 0.5]);
    }
    expect((await createRetrieval([]).ask('tides')).notes.reranker).toBeUndefined();
  });
});

describe('the index query of a pipeline with a learned sparse model', () => {
  const weights = { indexes: Uint32Array.of(7), values: Float32Array.of(1.5) };
  const sparse = (embed: SparseEmbedder['embed']) => ({ sparse: { modelId: 'm', embed } });
  const unavailable = sparse(() => Promise.reject(new Upstream('It is down.', { retryable: true })));

  it('contains the weights of the query in place of its words', async () => {
    const asked: unknown[][] = [];
    const { ask, queries } = createRetrieval(
      [tides],
      sparse(async (...given) => {
        asked.push(given);
        return [weights];
      }),
    );
    const { notes, latency } = await ask('tides', { alpha: 0.5 });
    expect(asked).toEqual([[['tides'], 'query']]);
    expect(queries).toMatchObject([{ weights, vector: expect.any(Float32Array) }]);
    expect(queries[0]).not.toHaveProperty('text');
    expect(notes).toMatchObject({ sparse: 'splade' });
    expect(latency).toHaveProperty('sparse_embedding');
  });

  it('asks the embedding model and the sparse model at the same time', async () => {
    const started: string[] = [];
    let release = () => {};
    const both = new Promise<void>((resolve) => {
      release = resolve;
    });
    const wait = async (name: string) => {
      started.push(name);
      if (started.length === 2) release();
      await both;
    };
    const embedder: Embedder = {
      modelId: 'dense',
      dimension: 1,
      async embed() {
        await wait('dense');
        return [Float32Array.of(1)];
      },
    };
    const { ask, queries } = createRetrieval([tides], {
      embedder,
      ...sparse(async () => {
        await wait('sparse');
        return [weights];
      }),
    });
    await ask('tides', { alpha: 0.5 });
    expect(started).toEqual(['dense', 'sparse']);
    expect(queries).toHaveLength(1);
  });

  it('needs no weights for dense search alone', async () => {
    const { ask, queries } = createRetrieval([tides], unavailable);
    const { notes } = await ask('tides', { alpha: 1 });
    expect(queries[0]).not.toHaveProperty('weights');
    expect(notes).not.toHaveProperty('warning');
  });

  it('contains only the vector if the sparse model fails, and the answer says so', async () => {
    const { ask, queries } = createRetrieval([tides], unavailable);
    const { notes } = await ask('tides', { alpha: 0.5 });
    expect(notes.warning).toBe('Only dense search answered: It is down.');
    expect(queries[0]).toHaveProperty('vector');
    expect(queries[0]).not.toHaveProperty('text');
    expect(queries[0]).not.toHaveProperty('weights');
  });

  it('is not sent if the sparse model fails and there is no dense search', async () => {
    const { ask, queries } = createRetrieval([tides], unavailable);
    await expect(ask('tides', { alpha: 0 })).rejects.toThrow('It is down.');
    expect(queries).toEqual([]);
  });
});

describe('the index query', () => {
  it.each([
    [0, false, true],
    [0.3, true, true],
    [1, true, false],
  ])('with alpha %d searches by vector: %j, by keywords: %j', async (alpha, byVector, byWords) => {
    const { ask, queries } = createRetrieval([tides]);
    const { notes } = await ask('tides', { alpha, dense_similarity_cutoff: 0.5 });
    expect(queries.map(({ vector, text }) => [vector !== undefined, text])).toEqual([
      [byVector, byWords ? 'tides' : undefined],
    ]);
    expect(notes.dense_similarity_cutoff !== undefined).toBe(alpha === 0);
    expect(notes.alpha).toBe(String(alpha));
  });

  it('has no vector if the query has no word, and adds a note', async () => {
    const { ask, queries } = createRetrieval([tides]);
    const { notes } = await ask('?!', { alpha: 0.5 });
    expect(queries[0]?.vector).toBeUndefined();
    expect(notes.query).toBe('the query contains no words');
  });

  it('requests as many results of each kind as the caller asks for', async () => {
    const { ask, queries } = createRetrieval([tides]);
    await ask('tides', { dense_similarity_top_k: 7, sparse_similarity_top_k: 9 });
    expect(queries).toMatchObject([{ denseTopK: 7, sparseTopK: 9 }]);
  });
});

describe('filters', () => {
  const asked = { condition: 'or' as const, filters: [{ key: 'a', operator: '==' as const, value: 1 }] };
  const schema = { type: 'object', properties: { year: { type: 'integer' } } };
  const inferred = { condition: 'and', filters: [{ key: 'year', operator: '==', value: 2023 }] };
  const reading = async () => modelSaying({ filters: inferred.filters });
  const getSentFilters = async (parameters: Partial<RetrievalParameters>) => {
    const { ask, queries } = createRetrieval([tides], { language: reading });
    const { inferredFilters } = await ask('tides of 2023', parameters);
    return { sent: queries[0]?.filters, inferredFilters };
  };

  it.each([
    ['none', {}, undefined],
    ['an empty group', { search_filters: { condition: 'or' as const, filters: [] } }, undefined],
    ['the caller’s', { search_filters: asked }, asked],
    ['inferred ones', { search_filters_inference_schema: schema }, inferred],
    [
      'both, which must both hold',
      { search_filters: asked, search_filters_inference_schema: schema },
      { condition: 'and', filters: [asked, inferred] },
    ],
  ])('are passed to the index: %s', async (_title, parameters, expected) => {
    const { sent, inferredFilters } = await getSentFilters(parameters);
    expect(sent).toEqual(expected);
    const infers = 'search_filters_inference_schema' in parameters;
    expect(inferredFilters).toEqual(infers ? inferred : undefined);
  });

  it('apply to the metadata of files', async () => {
    const [old, young] = [
      { ...tides, documentId: 'tides 1', title: 'tides 1', metadata: { a: 2 } },
      { ...tides, documentId: 'tides 2', title: 'tides 2', metadata: { a: 1 } },
    ];
    const { ask } = createRetrieval([old, young]);
    const answer = await ask('tides', {
      retrieval_mode: 'files_via_metadata',
      files_top_k: 5,
      search_filters: asked,
    });
    expect(documents(answer)).toEqual(['tides 2']);
  });
});

describe('files_via_metadata', () => {
  const parameters = { retrieval_mode: 'files_via_metadata' as const, files_top_k: 2 };

  it('returns the files that the model names, best first, up to files_top_k', async () => {
    const language = async () => modelSaying({ files: [2, 9, 2, 1, 0] });
    const both = await createRetrieval([tides, ferry], { language }).ask('tides', parameters);
    expect(both.chunks.map(({ chunk, score }) => [chunk.documentId, score])).toEqual([
      ['ferry.txt', 1],
      ['tides.txt', 0.5],
    ]);
    expect(both.notes.file_choice).toBe('m');
    const { ask } = createRetrieval([tides, ferry], { language });
    expect(documents(await ask('tides', { ...parameters, files_top_k: 1 }))).toEqual(['ferry.txt']);
  });

  it('chooses files by keywords if the model fails or if there is none', async () => {
    const language = async () => modelOf(() => Promise.reject(new Error('out of capacity')));
    const failed = await createRetrieval([ferry, tides], { language }).ask('tides', parameters);
    expect(documents(failed)).toEqual(['tides.txt']);
    expect(failed.notes).toMatchObject({
      file_choice: 'builtin/lexical-file-choice-1',
      file_choice_fallback: 'm failed: out of capacity',
    });
    const without = await createRetrieval([ferry, tides]).ask('tides', parameters);
    expect(documents(without)).toEqual(['tides.txt']);
    expect(without.notes.file_choice_fallback).toBeUndefined();
  });

  it('does not ask the model if there are no files', async () => {
    let times = 0;
    const language = async () =>
      modelOf(async () => {
        times += 1;
        throw new Error('asked');
      });
    const { chunks, notes } = await createRetrieval([], { language }).ask('tides', parameters);
    expect([chunks, times]).toEqual([[], 0]);
    expect(notes.file_choice).toContain('chosen by content');
  });

  it('cuts a file after a million characters, and adds a note', async () => {
    const long = createChunk('long.txt', 'x'.repeat(1_000_001));
    const answer = await createRetrieval([long, tides]).ask('txt', parameters);
    expect(answer.chunks.map(({ chunk }) => chunk.text.length).toSorted((a, b) => b - a)).toEqual([
      1_000_000,
      tides.text.length,
    ]);
    expect(answer.notes.cut_files).toBe('only the beginning of: long.txt');
    expect((await createRetrieval([tides]).ask('txt', parameters)).notes.cut_files).toBeUndefined();
  });
});

it('removes the file names of figures from chunks of older indexes', async () => {
  const text = 'Cranes lift stone.\n\n![page_1_figure_1.png](page_1_figure_1.png)\n\nShips wait.';
  const { ask } = createRetrieval([createChunk('cranes.pdf', text), tides]);
  const { chunks } = await ask('cranes');
  expect(chunks.map(({ chunk }) => chunk.text).toSorted()).toEqual([
    'Cranes lift stone.\n\nShips wait.',
    'Tides reach four metres.',
  ]);
});
