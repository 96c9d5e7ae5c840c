import { expect, it } from 'vitest';
import { createBuiltinEmbedder } from '#src/builtin/embedder.ts';
import type { StoredChunk } from '#src/ports/index-types.ts';
import type { Sink } from '#src/ports/sink.ts';
import { retrieveFilesByContent } from '#src/retrieval/modes/files.ts';
import { createReport, type RetrievalPorts } from '#src/retrieval/ports.ts';
import { DEFAULTS } from '#src/retrieval-contract/parameters.ts';

const chunk = (documentId: string, position: number): StoredChunk => ({
  id: `${documentId} ${position}`,
  documentId,
  position,
  text: `${documentId} has tides, part ${position}.`,
  headings: [],
  startChar: 0,
  endChar: 30,
  hash: '',
  title: documentId,
  metadata: {},
});

it('chooses files from all chunks that were found, not only from the best few', async () => {
  const first = Array.from({ length: DEFAULTS.rerank_top_n }, (_, position) => chunk('one', position));
  const chunks = [...first, chunk('two', 0)];
  const hits = chunks.map(({ id, documentId }, place) => ({ id, documentId, score: 10 - place }));
  const sink = {
    kind: 'test',
    capabilities: { sparse: 'native' },
    query: async () => ({ chunks, dense: [], sparse: hits, timings: {} }),
    listChunks: async (documentId: string) => chunks.filter((each) => each.documentId === documentId),
  } as unknown as Sink;
  const reranker: RetrievalPorts['reranker'] = {
    modelId: 'in order',
    rerank: async (_query, candidates, { topN = candidates.length } = {}) =>
      candidates.slice(0, topN).map(({ id }, place) => ({ id, score: 1 / (1 + place) })),
  };
  const ports: RetrievalPorts = {
    sink,
    embedder: createBuiltinEmbedder(),
    reranker,
    language: async () => undefined,
    hiddenKeys: [],
    readDocumentHiddenKeys: async () => new Map(),
    catalog: async function* () {},
    firstEntries: async () => [],
  };
  const parameters = { ...DEFAULTS, files_top_k: 2 };
  const files = await retrieveFilesByContent('tides', parameters, undefined, ports, createReport());
  expect(files.map(({ chunk: { documentId } }) => documentId)).toEqual(['one', 'two']);
});
