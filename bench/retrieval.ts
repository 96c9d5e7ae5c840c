/**
 * Measures retrieval quality through the public API of a local service, which indexes the documents and
 * answers the queries.
 * Run: npm run bench:retrieval -- [--sets scifact,xquad-en] [--queries 300] [--alphas 0.1,0.3]   (CORPORA=<dir>)
 *      [--metadata title|custom|labels]   metadata of the documents, see bench/retrieval/metadata.ts
 * With SLUICE_URL and SLUICE_API_KEY, a running service is measured. Its pipelines named "bench ..." are not
 * deleted.
 */
import { parseArgs } from 'node:util';
import { Service } from '#test/process/service.ts';
import { CORPORA } from './corpora.ts';
import { createClient, inParallel, preparePipeline, retrieve, withRetries } from './retrieval/client.ts';
import { METADATA, parseMetadataKind } from './retrieval/metadata.ts';
import {
  measureDocuments,
  measureSpans,
  PUBLISHED_BM25,
  type RetrievalSet,
  readSet,
} from './retrieval/sets.ts';

const { values: options } = parseArgs({
  options: {
    sets: { type: 'string', default: Object.keys(PUBLISHED_BM25).join(',') },
    queries: { type: 'string', default: '300' },
    alphas: { type: 'string', default: '' },
    metadata: { type: 'string', default: 'title' },
  },
});
const kind = parseMetadataKind(options.metadata);

const MODES: [string, Record<string, unknown>][] = [
  ['sparse', { alpha: 0, enable_reranking: false }],
  ['dense', { alpha: 1, enable_reranking: false }],
  ['hybrid', { enable_reranking: false }],
  ['hybrid + rerank', { rerank_top_n: 10 }],
  ...options.alphas
    .split(',')
    .filter(Boolean)
    .map((alpha): [string, Record<string, unknown>] => [
      `alpha ${alpha}`,
      { alpha: Number(alpha), enable_reranking: false },
    ]),
];

/**
 * The set chroma-spans measures characters, so its documents are split into chunks. The texts of the other
 * sets are shorter than a chunk.
 */
const SPANS = 'chroma-spans';
const SPAN_CHUNKS = {
  mode: 'advanced',
  chunking_config: { mode: 'sentence', chunk_size: 200, chunk_overlap: 0 },
};

const sets = options.sets.split(',').flatMap((name) => readSet(name, Number(options.queries)) ?? []);
if (sets.length === 0) {
  console.log(
    `${CORPORA}/retrieval contains none of the sets, so nothing was measured. Set CORPORA to the folder of the corpora.`,
  );
  process.exit(0);
}

const { SLUICE_URL: url, SLUICE_API_KEY: key } = process.env;
const service = url && key ? undefined : new Service();
await service?.start();
const call = withRetries(service ? service.call.bind(service) : createClient(url!, key!));
try {
  console.log(
    'set            queries  mode             nDCG@10  recall@10   ms/query   (spans: share in 5, in 10 chunks)',
  );
  for (const set of sets) await measure(set);
} finally {
  await service?.end();
}

async function measure(set: RetrievalSet): Promise<void> {
  const start = performance.now();
  const transform = set.name === SPANS ? SPAN_CHUNKS : undefined;
  const documents = set.documents.map((each) => ({
    id: each._id,
    text: each.text,
    metadata: METADATA[kind](each),
  }));
  const pipelineId = await preparePipeline(call, `bench ${set.name}`, documents, transform);
  const seconds = (performance.now() - start) / 1000;
  print(set, 'BM25 (README)', PUBLISHED_BM25[set.name]!);
  for (const [mode, parameters] of MODES) {
    const began = performance.now();
    const measures = await inParallel(set.queries, async (query) => {
      const found = await retrieve(call, pipelineId, query.text, parameters);
      return set.name === SPANS
        ? measureSpans(found, query)
        : measureDocuments(found, set.relevant.get(query._id)!);
    });
    const each = (performance.now() - began) / measures.length;
    const mean = (column: 0 | 1) =>
      measures.reduce((sum, values) => sum + values[column], 0) / measures.length;
    print(set, mode, [mean(0), mean(1)], each);
  }
  console.log(`${set.documents.length} documents uploaded and synced in ${seconds.toFixed(1)} s\n`);
}

function print(set: RetrievalSet, mode: string, measures: [number, number], milliseconds?: number): void {
  const figures = measures.map((value) => value.toFixed(3).padStart(9)).join('  ');
  const count = String(set.queries.length).padStart(7);
  const time = milliseconds === undefined ? '' : milliseconds.toFixed(1).padStart(9);
  console.log(`${set.name.padEnd(14)} ${count}  ${mode.padEnd(16)}${figures}  ${time}`);
}
