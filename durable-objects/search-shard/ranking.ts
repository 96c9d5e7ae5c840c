import type { SearchHit } from '#src/ports/index-types.ts';
import type { TermStatistics } from '#src/ports/shard.ts';
import { listBits } from '#src/search/bitset.ts';
import { countPostings } from '#src/search/bm25.ts';
import { compareHits } from '#src/search/fusion.ts';
import { analyseQuery } from '#src/search/query.ts';
import { languagesOf, weighTerms } from '#src/search/term-weights.ts';
import { cosine } from '#src/search/vectors.ts';
import { identify, readVectors } from './chunks/chunk-rows.ts';
import type { Resident, View } from './postings/resident.ts';

export interface Ranked {
  hits: SearchHit[];
  /** Local ids of the hits, in their order. */
  locals: number[];
}

export const NOTHING: Ranked = { hits: [], locals: [] };
/** So many times the wanted results are scored exactly, and so many chunks in all. */
const OVERSAMPLING = 2;
const LEAST_RESCORED = 32;
const MOST_RESCORED = 2_048;

export function statisticsOf(resident: Resident, text: string, view: View): TermStatistics {
  const { documentCount, totalLength } = view;
  const documentFrequency: Record<string, number> = {};
  const asked = analyseQuery(text, resident.languages());
  for (const term of new Set(asked.flatMap(({ variants }) => variants))) {
    const count = countPostings(resident.memory, resident.postings(term), view.visible);
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
  if (statistics.documentCount === 0 || k === 0) return NOTHING;
  // Other shards' languages count for how rare a word is.
  const languages = [...new Set([...resident.languages(), ...languagesOf(statistics)])].sort();
  const { scores, chunks } = resident;
  scores.start(chunks.lengths, resident.revision, statistics.totalLength / statistics.documentCount);
  const { finding, ranking } = weighTerms(analyseQuery(text, languages), statistics);
  for (const [term, weight] of finding) scores.add(resident.postings(term), weight);
  const found = ranking.size > 0 ? scores.found(allowed, chunks.end) : allowed;
  for (const [term, weight] of ranking) scores.add(resident.postings(term), weight);
  return best(sql, scores.atLeast(k, found, chunks.end), k);
}

/** Exact cosine similarities of the best by code, and of all that the codes' error leaves in doubt. */
export function rankDense(
  sql: SqlStorage,
  resident: Resident,
  vector: Float32Array,
  allowed: Uint8Array,
  k: number,
): Ranked {
  if (k === 0) return NOTHING;
  const exact = new Map<number, number>();
  const rescore = (locals: number[]) => {
    const missing = locals.filter((local) => !exact.has(local)).slice(0, MOST_RESCORED);
    for (const [local, stored] of readVectors(sql, missing)) exact.set(local, cosine(vector, stored));
  };
  const wanted = Math.max(LEAST_RESCORED, OVERSAMPLING * k);
  const few = listBits(allowed, wanted + 1);
  if (few.length <= wanted) rescore(few);
  else {
    const search = resident.codes().search(vector, allowed);
    rescore(search.atLeast(wanted));
    const kth = [...exact.values()].sort((a, b) => b - a)[k - 1];
    if (kth !== undefined) rescore(search.above(kth));
  }
  return best(
    sql,
    [...exact].map(([local, score]) => ({ local, score })),
    k,
  );
}

/** Returns the k best; `compareHits` orders equal scores. */
export function best(sql: SqlStorage, scored: { local: number; score: number }[], k: number): Ranked {
  const bound = scored.map(({ score }) => score).sort((a, b) => b - a)[k - 1] ?? Number.NEGATIVE_INFINITY;
  const candidates = scored.filter(({ score }) => score >= bound);
  const ids = identify(
    sql,
    candidates.map(({ local }) => local),
  );
  const sorted = candidates
    .map(({ local, score }) => ({ local, hit: { ...ids.get(local)!, score } }))
    .sort((a, b) => compareHits(a.hit, b.hit))
    .slice(0, k);
  return { hits: sorted.map(({ hit }) => hit), locals: sorted.map(({ local }) => local) };
}
