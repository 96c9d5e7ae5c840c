import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readAnySet } from '#bench/retrieval/built-sets.ts';
import { indexOffline, measureBestBm25, type OfflineIndex } from '#bench/retrieval/offline.ts';
import { type Found, measureDocuments, measureSpans, type RetrievalSet } from '#bench/retrieval/sets.ts';
import { createBuiltinReranker, type RerankWeights } from '#src/builtin/reranker.ts';
import type { Figure } from './figures.ts';

/** Sets by the corpus from which they come. No constant may be chosen on the corpus that is measured. */
export const RETRIEVAL_SETS: Record<string, string[]> = {
  scifact: ['scifact', 'scifact-verbose', 'scifact-titles'],
  cisi: ['cisi', 'cisi-titles'],
  med: ['med'],
  chroma: ['chroma-spans', 'chroma-articles'],
  xquad: ['el', 'en', 'hi', 'ro', 'ru', 'th', 'tr', 'vi', 'zh'].map((code) => `xquad-${code}`),
};

/** Maximum number of queries of a set. They are evenly selected. */
const MAX_QUERIES = 300;
const SPANS = 'chroma-spans';
/** Chunks of about a paragraph, because the answers of the set are sentences in long documents. */
const SPAN_CHUNKS = {
  mode: 'advanced',
  chunking_config: { mode: 'sentence', chunk_size: 200, chunk_overlap: 0 },
};

/** Weights of the reranker by the corpus that took no part in fitting them, see fit-reranker.ts. */
const LEFT_OUT_WEIGHTS = join(import.meta.dirname, '../retrieval/left-out-weights.json');

export interface LoadedSet {
  set: RetrievalSet;
  index: OfflineIndex;
  /** Metrics of the set by name. They measure the found chunks of the query with the given index. */
  metrics: Record<string, (found: number[], query: number) => number>;
}

/** Reads and indexes a set. Returns undefined if its corpus is missing. */
export async function loadRetrievalSet(name: string, queries = MAX_QUERIES): Promise<LoadedSet | undefined> {
  const set = readAnySet(name, queries);
  if (!set) return undefined;
  const index = await indexOffline(set.documents, name === SPANS ? SPAN_CHUNKS : undefined);
  const toFound = (found: number[]): Found[] => found.map((chunk) => index.chunks[chunk]!);
  if (name === SPANS) {
    const shareInFive = (found: number[], query: number) =>
      measureSpans(toFound(found).slice(0, 5), set.queries[query]!)[0];
    return { set, index, metrics: { 'share in 5': shareInFive } };
  }
  const getRelevant = (query: number) => set.relevant.get(set.queries[query]!._id)!;
  const ndcg = (found: number[], query: number) => measureDocuments(toFound(found), getRelevant(query))[0];
  const isHit = (found: number[], query: number) => {
    const first = [...new Set(toFound(found).map(({ documentId }) => documentId))].slice(0, 5);
    return first.some((id) => getRelevant(query).has(id)) ? 1 : 0;
  };
  return { set, index, metrics: { 'nDCG@10': ndcg, ...(name.endsWith('-articles') && { 'hit@5': isHit }) } };
}

/**
 * Measures the sparse search, the default search and the built-in reranker next to BM25. Measures all sets unless
 * `sets` names some.
 */
export async function retrievalFigures(sets?: string[]): Promise<Figure[]> {
  const figures: Figure[] = [];
  const leftOut = JSON.parse(readFileSync(LEFT_OUT_WEIGHTS, 'utf8')) as Record<string, RerankWeights>;
  for (const [corpus, names] of Object.entries(RETRIEVAL_SETS)) {
    for (const name of names.filter((each) => sets?.includes(each) ?? true)) {
      const loaded = await loadRetrievalSet(name);
      if (loaded) figures.push(...(await measureSet(name, loaded, leftOut[corpus])));
    }
  }
  return figures;
}

async function measureSet(
  name: string,
  { set, index, metrics }: LoadedSet,
  weights: RerankWeights | undefined,
): Promise<Figure[]> {
  const reranker = createBuiltinReranker(weights);
  const rankings: Record<string, number[][]> = { sparse: [], hybrid: [], reranked: [] };
  for (const { text } of set.queries) {
    const hybrid = await index.hybrid(text);
    const candidates = hybrid.map(([chunk, score]) => ({
      ...index.chunks[chunk]!.candidate,
      id: String(chunk),
      score,
    }));
    const reranked = await reranker.rerank(text, candidates);
    rankings.sparse!.push(index.sparse(text).map(([chunk]) => chunk));
    rankings.hybrid!.push(hybrid.map(([chunk]) => chunk));
    rankings.reranked!.push(reranked.map(({ id }) => Number(id)));
  }
  return Object.entries(metrics).flatMap(([metric, measure]) => {
    const baseline = measureBestBm25(set, index.chunks, measure);
    return Object.entries(rankings).map(([method, found]): Figure => {
      const value = found.reduce((sum, each, query) => sum + measure(each, query), 0) / found.length;
      return { task: 'retrieval', set: name, metric: `${method} ${metric}`, value, baseline };
    });
  });
}
