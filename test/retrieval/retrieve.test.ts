import { describe, expect, it, vi } from 'vitest';
import { builtinEmbedder } from '#src/builtin/embedder.ts';
import type { SinkQuery, StoredChunk } from '#src/ports/index-types.ts';
import type { Sink } from '#src/ports/sink.ts';
import { retrieve } from '#src/retrieval/index.ts';
import { type CatalogEntry, newReport, type RetrievalPorts } from '#src/retrieval/ports.ts';
import { DEFAULTS, type RetrievalParameters } from '#src/retrieval-contract/parameters.ts';
import { modelOf, modelSaying } from '#test/support/fake-model.ts';

const chunkOf = (documentId: string, text: string): StoredChunk => ({
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
const tides = chunkOf('tides.txt', 'Tides reach four metres.');
const ferry = chunkOf('ferry.txt', 'The ferry has tides.');

/** A service whose index finds these chunks by their words, and what it was asked. */
function serviceOf(chunks: StoredChunk[], more: Partial<RetrievalPorts> = {}) {
  const queries: SinkQuery[] = [];
  const sink = {
    kind: 'test',
    capabilities: { sparse: 'native' },
    async query(query: SinkQuery) {
      queries.push(query);
      const sparse = chunks.map(({ id, documentId }, place) => ({ id, documentId, score: 9 - place }));
      return { chunks, dense: [], sparse, timings: {} };
    },
    chunksOf: async (id: string) => chunks.filter(({ documentId }) => documentId === id),
  } as unknown as Sink;
  const ports: RetrievalPorts = {
    sink,
    embedder: builtinEmbedder(),
    reranker: {
      modelId: 'reversing',
      rerank: async (_query, candidates) =>
        candidates.toReversed().map(({ id }, place) => ({ id, score: 0.5 / (1 + place) })),
    },
    language: async () => undefined,
    hiddenKeys: [],
    ownHiddenKeys: async () => new Map(),
    catalog: async function* () {
      yield chunks.map(({ documentId, title, metadata }): CatalogEntry => ({ documentId, title, metadata }));
    },
    ...more,
  };
  const ask = (query: string, parameters: Partial<RetrievalParameters> = {}) =>
    retrieve(query, { ...DEFAULTS, ...parameters }, ports);
  return { ask, queries };
}

const documents = ({ chunks }: { chunks: { chunk: StoredChunk }[] }) =>
  chunks.map(({ chunk }) => chunk.documentId);

describe('an answer', () => {
  it('says which way it was found, by whom, and how long each part took', async () => {
    const { ask } = serviceOf([tides, ferry]);
    const answer = await ask('tides');
    expect(answer.notes).toMatchObject({ retrieval_mode: 'chunks', sink: 'test', reranker: 'reversing' });
    expect(Object.keys(answer.latency)).toEqual(
      expect.arrayContaining(['embedding', 'search', 'rerank', 'total']),
    );
    const routed = await ask('Summarize the tides', { retrieval_mode: 'auto_routed' });
    expect(routed.notes).toMatchObject({ retrieval_mode: 'files_via_content', router: 'builtin/wording-1' });
  });

  it('adds up the seconds of a part that was at work twice', async () => {
    const report = newReport();
    const now = vi.spyOn(performance, 'now');
    for (const at of [1_000, 3_500, 10_000, 10_250]) now.mockReturnValueOnce(at);
    await report.timed('search', async () => 'found');
    await report.timed('search', () => Promise.reject(new Error('no'))).catch(() => undefined);
    now.mockRestore();
    expect(report.latency).toEqual({ search: 2.75 });
  });

  it('is reranked, were it one chunk, unless the caller declines', async () => {
    const { ask } = serviceOf([tides, ferry]);
    expect(documents(await ask('tides'))).toEqual(['ferry.txt', 'tides.txt']);
    expect(documents(await ask('tides', { enable_reranking: false }))).toEqual(['tides.txt', 'ferry.txt']);
    for (const retrieval_mode of ['chunks', 'files_via_content'] as const) {
      const { chunks } = await serviceOf([tides]).ask('tides', { retrieval_mode });
      expect([retrieval_mode, chunks[0]?.score]).toEqual([retrieval_mode, 0.5]);
    }
    expect((await serviceOf([]).ask('tides')).notes.reranker).toBeUndefined();
  });
});

describe('the search', () => {
  it.each([
    [0, false, true],
    [0.3, true, true],
    [1, true, false],
  ])('with an alpha of %d asks by vector: %j, by words: %j', async (alpha, byVector, byWords) => {
    const { ask, queries } = serviceOf([tides]);
    const { notes } = await ask('tides', { alpha, dense_similarity_cutoff: 0.5 });
    expect(queries.map(({ vector, text }) => [vector !== undefined, text])).toEqual([
      [byVector, byWords ? 'tides' : undefined],
    ]);
    expect(notes.dense_similarity_cutoff !== undefined).toBe(alpha === 0);
    expect(notes.alpha).toBe(String(alpha));
  });

  it('with no word in the query has no vector of the built-in embedder, and says so', async () => {
    const { ask, queries } = serviceOf([tides]);
    const { notes } = await ask('?!', { alpha: 0.5 });
    expect(queries[0]?.vector).toBeUndefined();
    expect(notes.query).toBe('no word to search for');
  });

  it('asks each arm for as many as the caller wants of it', async () => {
    const { ask, queries } = serviceOf([tides]);
    await ask('tides', { dense_similarity_top_k: 7, sparse_similarity_top_k: 9 });
    expect(queries).toMatchObject([{ denseTopK: 7, sparseTopK: 9 }]);
  });
});

describe('filters', () => {
  const asked = { condition: 'or' as const, filters: [{ key: 'a', operator: '==' as const, value: 1 }] };
  const schema = { type: 'object', properties: { year: { type: 'integer' } } };
  const inferred = { condition: 'and', filters: [{ key: 'year', operator: '==', value: 2023 }] };
  const reading = async () => modelSaying({ filters: inferred.filters });
  const whichOf = async (parameters: Partial<RetrievalParameters>) => {
    const { ask, queries } = serviceOf([tides], { language: reading });
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
  ])('that reach the index: %s', async (_title, parameters, expected) => {
    const { sent, inferredFilters } = await whichOf(parameters);
    expect(sent).toEqual(expected);
    const infers = 'search_filters_inference_schema' in parameters;
    expect(inferredFilters).toEqual(infers ? inferred : undefined);
  });

  it('choose among files by what is said of them', async () => {
    const [old, young] = [
      { ...tides, documentId: 'tides 1', title: 'tides 1', metadata: { a: 2 } },
      { ...tides, documentId: 'tides 2', title: 'tides 2', metadata: { a: 1 } },
    ];
    const { ask } = serviceOf([old, young]);
    const answer = await ask('tides', {
      retrieval_mode: 'files_via_metadata',
      files_top_k: 5,
      search_filters: asked,
    });
    expect(documents(answer)).toEqual(['tides 2']);
  });
});

describe('files by their metadata', () => {
  const parameters = { retrieval_mode: 'files_via_metadata' as const, files_top_k: 2 };

  it('are those that a model names, best first, as many as are wanted', async () => {
    const language = async () => modelSaying({ files: [2, 9, 2, 1, 0] });
    const both = await serviceOf([tides, ferry], { language }).ask('tides', parameters);
    expect(both.chunks.map(({ chunk, score }) => [chunk.documentId, score])).toEqual([
      ['ferry.txt', 1],
      ['tides.txt', 0.5],
    ]);
    expect(both.notes.file_choice).toBe('m');
    const { ask } = serviceOf([tides, ferry], { language });
    expect(documents(await ask('tides', { ...parameters, files_top_k: 1 }))).toEqual(['ferry.txt']);
  });

  it('are chosen by their words when the model fails, and when there is none', async () => {
    const language = async () => modelOf(() => Promise.reject(new Error('out of capacity')));
    const failed = await serviceOf([ferry, tides], { language }).ask('tides', parameters);
    expect(documents(failed)).toEqual(['tides.txt']);
    expect(failed.notes).toMatchObject({
      file_choice: 'builtin/lexical-file-choice-1',
      file_choice_fallback: 'm failed: out of capacity',
    });
    const without = await serviceOf([ferry, tides]).ask('tides', parameters);
    expect(documents(without)).toEqual(['tides.txt']);
    expect(without.notes.file_choice_fallback).toBeUndefined();
  });

  it('are nobody’s to name where there are none: the model is not asked', async () => {
    let times = 0;
    const language = async () =>
      modelOf(async () => {
        times += 1;
        throw new Error('asked');
      });
    const { chunks, notes } = await serviceOf([], { language }).ask('tides', parameters);
    expect([chunks, times]).toEqual([[], 0]);
    expect(notes.file_choice).toContain('chosen by content');
  });

  it('are cut at a million characters, and named then', async () => {
    const long = chunkOf('long.txt', 'x'.repeat(1_000_001));
    const answer = await serviceOf([long, tides]).ask('txt', parameters);
    expect(answer.chunks.map(({ chunk }) => chunk.text.length).toSorted((a, b) => b - a)).toEqual([
      1_000_000,
      tides.text.length,
    ]);
    expect(answer.notes.cut_files).toBe('only the beginning of: long.txt');
    expect((await serviceOf([tides]).ask('txt', parameters)).notes.cut_files).toBeUndefined();
  });
});

it('shows chunks of an older index without the file names of figures', async () => {
  const text = 'Cranes lift stone.\n\n![page_1_figure_1.png](page_1_figure_1.png)\n\nShips wait.';
  const { ask } = serviceOf([chunkOf('cranes.pdf', text), tides]);
  const { chunks } = await ask('cranes');
  expect(chunks.map(({ chunk }) => chunk.text).toSorted()).toEqual([
    'Cranes lift stone.\n\nShips wait.',
    'Tides reach four metres.',
  ]);
});
