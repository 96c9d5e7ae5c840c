import { type Baseline, listBaselines } from '#bench/languages/baselines.ts';
import { countTerms, PlainIndex } from '#bench/languages/bm25.ts';
import { createBuiltinEmbedder } from '#src/builtin/embedder.ts';
import { detectChunkLanguage } from '#src/ingest/chunk-language.ts';
import { chunkDocument } from '#src/ingest/chunking/index.ts';
import { transformConfig } from '#src/ingest/chunking/transform-config.ts';
import { detectLanguage } from '#src/languages/detect.ts';
import type { RerankCandidate } from '#src/ports/reranker.ts';
import { getDefaultAlpha } from '#src/retrieval/modes/chunks.ts';
import { analyseChunk, analyseTitle } from '#src/search/analysis.ts';
import { fuse } from '#src/search/fusion.ts';
import { analyseQuery } from '#src/search/query.ts';
import { B, K1, weighTerms } from '#src/search/term-weights.ts';
import { loadTokenizer } from '#src/tokenizer/tokenizer.ts';
import type { Document, Found, RetrievalSet } from './sets.ts';

/** Chunk that can be searched and reranked, with its place in its document. */
export interface OfflineChunk extends Found {
  candidate: Omit<RerankCandidate, 'id' | 'score'>;
}

export interface OfflineIndex {
  chunks: OfflineChunk[];
  /** Returns chunks with their BM25 scores, best first. */
  sparse(query: string): [chunk: number, score: number][];
  /** Returns chunks with the scores that the service gives them by default before reranking, best first. */
  hybrid(query: string): Promise<[chunk: number, score: number][]>;
}

/** Number of results of each search in the default parameters of the service. */
const RESULTS = 30;
/** Texts of fewer characters fit into one chunk of the default size in every script. */
const SURELY_ONE_CHUNK = 1_000;

/**
 * Splits, embeds and indexes documents as the service does, in memory. No service is needed, so that a set
 * takes seconds.
 */
export async function indexOffline(documents: Document[], transform: unknown): Promise<OfflineIndex> {
  const chunks: OfflineChunk[] = [];
  for (const document of documents) chunks.push(...(await splitDocument(document, transform)));
  const embedder = createBuiltinEmbedder();
  const vectors = await embedder.embed(
    chunks.map(({ candidate: { title, headings, text } }) =>
      [title, ...headings, text].filter(Boolean).join('\n'),
    ),
    'document',
  );
  const analysed = chunks.map(({ candidate }) => analyseChunk(candidate));
  const index = new PlainIndex(
    analysed.map((chunk, at) => {
      const bag = new Map<string, number>();
      for (const { terms, frequencies } of [
        chunk,
        analyseTitle(chunks[at]!.candidate.title, chunk.language),
      ]) {
        for (const [i, term] of terms.entries()) bag.set(term, (bag.get(term) ?? 0) + frequencies[i]!);
      }
      return { bag, length: chunk.length };
    }),
  );
  const languages = [...new Set(analysed.map(({ language }) => language))].sort();
  const sparse = (query: string) => {
    const words = analyseQuery(query, languages);
    const documentFrequency: Record<string, number> = {};
    for (const term of words.flatMap(({ variants }) => variants)) {
      documentFrequency[term] = index.documentFrequency(term);
    }
    const statistics = { documentCount: chunks.length, totalLength: 0, documentFrequency };
    const { finding, ranking } = weighTerms(words, statistics);
    const all = new Map(finding);
    for (const [term, weight] of ranking) all.set(term, (all.get(term) ?? 0) + weight);
    return index.search(all, K1, B, RESULTS);
  };
  return {
    chunks,
    sparse,
    async hybrid(query) {
      const vector = (await embedder.embed([query], 'query'))[0]!;
      const similarities = vectors.map((each) => multiply(each, vector));
      const dense = [...similarities.entries()].sort(([, a], [, b]) => b - a).slice(0, RESULTS);
      const toHit = ([chunk, score]: [number, number]) => ({
        id: String(chunk),
        documentId: chunks[chunk]!.documentId,
        position: chunk,
        score,
      });
      const fused = fuse(dense.map(toHit), sparse(query).map(toHit), getDefaultAlpha(embedder.modelId));
      return fused.map(({ id, score }) => [Number(id), score]);
    },
  };
}

/** Returns the dot product of two vectors. A loop is several times faster than `reduce` on a typed array. */
function multiply(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

async function splitDocument({ _id, title, text }: Document, transform: unknown): Promise<OfflineChunk[]> {
  const tokenizer = await loadTokenizer();
  const language = detectLanguage(text.slice(0, 20_000));
  const parts =
    transform === undefined && text.length < SURELY_ONE_CHUNK
      ? [{ text, startChar: 0, endChar: text.length, headings: [] }]
      : await chunkDocument({ text, pageStarts: [], pages: [] }, transformConfig.parse(transform ?? {}), {
          countTokens: (part) => tokenizer.count(part),
          embed: () => Promise.reject(new Error('No set is split by meaning.')),
          pause: () => Promise.resolve(),
        });
  return parts.map((part) => {
    const own = detectChunkLanguage(part.text, language);
    return {
      documentId: _id,
      start: part.startChar,
      end: part.endChar,
      candidate: { text: part.text, headings: part.headings, title, ...(own && { language: own }) },
    };
  });
}

/** Two usual pairs of constants. */
const CONSTANTS = [
  { k1: 0.9, b: 0.4 },
  { k1: 1.2, b: 0.75 },
];

/**
 * Searches with BM25 in every usual setting for the language of a set. Returns the highest mean of `measure`,
 * so that the baseline is the setting that someone would choose who knew the answers.
 */
export function measureBestBm25(
  { name, queries }: RetrievalSet,
  chunks: OfflineChunk[],
  measure: (found: number[], query: number) => number,
): number {
  const language = /-([a-z]{2})$/.exec(name)?.[1] ?? 'en';
  const means = listBaselines(language).flatMap(({ analyse, stopWords }: Baseline) => {
    const read = (text: string) => analyse(text).filter((term) => !stopWords.has(term));
    const index = new PlainIndex(
      chunks.map(({ candidate: { title, headings, text } }) => {
        const terms = read([title, ...headings, text].join('\n'));
        return { bag: countTerms(terms), length: terms.length };
      }),
    );
    return CONSTANTS.map(({ k1, b }) => {
      let sum = 0;
      for (const [at, { text }] of queries.entries()) {
        const weights = new Map<string, number>();
        for (const [term, count] of countTerms(read(text))) weights.set(term, count * index.idf(term));
        const found = index.search(weights, k1, b, RESULTS);
        sum += measure(
          found.map(([chunk]) => chunk),
          at,
        );
      }
      return sum / queries.length;
    });
  });
  return Math.max(...means);
}
