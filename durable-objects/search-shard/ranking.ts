import type { SearchHit, SparseVector } from '#src/ports/index-types.ts';
import type { TermStatistics } from '#src/ports/shard.ts';
import { listBits } from '#src/search/bitset.ts';
import { countPostings } from '#src/search/bm25.ts';
import { compareHits } from '#src/search/fusion.ts';
import { weighQueryTerms } from '#src/search/learned-terms.ts';
import { analyseQuery } from '#src/search/query.ts';
import { listLanguages, weighTerms } from '#src/search/term-weights.ts';
import { cosine } from '#src/search/vectors.ts';
import { readHitIds, readVectors } from './chunks/chunk-rows.ts';
import type { Resident, View } from './postings/resident.ts';

export interface Ranked {
  hits: SearchHit[];
  /** Local ids of the chunks in `hits`, in the same order. */
  locals: number[];
}

export const NO_HITS: Ranked = { hits: [], locals: [] };
/**
 * Number of chunks with an exact score per wanted result. At least `MIN_RESCORED` and at most `MAX_RESCORED`
 * chunks are scored exactly.
 */
const OVERSAMPLING = 2;
const MIN_RESCORED = 32;
const MAX_RESCORED = 2_048;

export function collectStatistics(resident: Resident, text: string, view: View): TermStatistics {
  const { documentCount, totalLength } = view;
  const documentFrequency: Record<string, number> = {};
  const queryWords = analyseQuery(text, resident.listLanguages().sort());
  const terms = new Set(queryWords.flatMap(({ variants }) => variants));
  for (const [term, postings] of resident.readPostings(terms)) {
    const count = countPostings(resident.memory, postings, view.visible);
    if (count > 0) documentFrequency[term] = count;
  }
  return { documentCount, totalLength, documentFrequency };
}

export function rankSparse(
  sql: SqlStorage,
  resident: Resident,
  text: string,
  statistics: TermStatistics,
  allowed: Uint8Array,
  k: number,
): Ranked {
  if (statistics.documentCount === 0 || k === 0) return NO_HITS;
  // The query is analysed in the languages of all shards, because other shards contribute to the word
  // statistics.
  const languages = [...new Set([...resident.listLanguages(), ...listLanguages(statistics)])].sort();
  const { scores, chunks } = resident;
  scores.start(chunks.lengths, resident.revision, statistics.totalLength / statistics.documentCount);
  const { finding, ranking } = weighTerms(analyseQuery(text, languages), statistics);
  addScores(resident, finding);
  const found = ranking.size > 0 ? scores.findScored(allowed, chunks.end) : allowed;
  addScores(resident, ranking);
  return pickBest(sql, scores.findTop(k, found, chunks.end), k);
}

function addScores(resident: Resident, weights: Map<string, number>): void {
  for (const [term, postings] of resident.readPostings(weights.keys())) {
    resident.scores.add(postings, weights.get(term)!);
  }
}

/**
 * Ranks chunks by the dot product of their weights and those of the query. The scores need no statistics of the index,
 * so they do not depend on other shards.
 */
export function rankLearned(
  sql: SqlStorage,
  resident: Resident,
  query: SparseVector,
  allowed: Uint8Array,
  k: number,
): Ranked {
  if (k === 0) return NO_HITS;
  const { scores, chunks } = resident;
  scores.startLearned(chunks.lengths, resident.revision);
  addScores(resident, weighQueryTerms(query));
  return pickBest(sql, scores.findTop(k, allowed, chunks.end), k);
}

/**
 * Ranks chunks by exact cosine similarity. The approximate vector codes select the candidates. These are the
 * best chunks by code, and all others that could be among the k best despite the codes' error.
 */
export function rankDense(
  sql: SqlStorage,
  resident: Resident,
  vector: Float32Array,
  allowed: Uint8Array,
  k: number,
): Ranked {
  if (k === 0) return NO_HITS;
  const exact = new Map<number, number>();
  const rescore = (locals: number[]) => {
    const missing = locals.filter((local) => !exact.has(local)).slice(0, MAX_RESCORED);
    for (const [local, stored] of readVectors(sql, missing)) exact.set(local, cosine(vector, stored));
  };
  const wanted = Math.max(MIN_RESCORED, OVERSAMPLING * k);
  const few = listBits(allowed, wanted + 1);
  if (few.length <= wanted) rescore(few);
  else {
    const search = resident.getCodes().search(vector, allowed);
    rescore(search.findTop(wanted));
    const kth = [...exact.values()].sort((a, b) => b - a)[k - 1];
    if (kth !== undefined) rescore(search.findAbove(kth));
  }
  return pickBest(
    sql,
    [...exact].map(([local, score]) => ({ local, score })),
    k,
  );
}

/** Returns the k chunks with the highest scores. `compareHits` decides the order of equal scores. */
export function pickBest(sql: SqlStorage, scored: { local: number; score: number }[], k: number): Ranked {
  const bound = scored.map(({ score }) => score).sort((a, b) => b - a)[k - 1] ?? Number.NEGATIVE_INFINITY;
  const candidates = scored.filter(({ score }) => score >= bound);
  const ids = readHitIds(
    sql,
    candidates.map(({ local }) => local),
  );
  const sorted = candidates
    .map(({ local, score }) => ({ local, hit: { ...ids.get(local)!, score } }))
    .sort((a, b) => compareHits(a.hit, b.hit))
    .slice(0, k);
  return { hits: sorted.map(({ hit }) => hit), locals: sorted.map(({ local }) => local) };
}
