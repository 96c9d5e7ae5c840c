import type { WordCounts } from '#src/ports/index-types.ts';
import type { ShardAnswer, ShardQuery } from '#src/ports/shard.ts';
import { countWords } from '#src/search/term-weights.ts';
import { readChunks } from './chunks/chunk-rows.ts';
import type { Resident } from './postings/resident.ts';
import { collectStatistics, NO_HITS, type Ranked, rankDense, rankLearned, rankSparse } from './ranking.ts';
import type { createStopwatch } from './stopwatch.ts';
import { findOvertaken, rankCandidates } from './vectors/candidates.ts';
import { checkDimension, readDimension } from './vectors/dimension.ts';
import type { VectorizeResult, VectorizeSearch } from './vectors/vectorize-search.ts';

/**
 * Data that a query needs: the shard's database and memory, and the results of Vectorize if it was queried.
 */
interface QueryContext {
  sql: SqlStorage;
  resident: Resident;
  vectorizeSearch: VectorizeSearch | undefined;
  vectorizeResult: VectorizeResult | undefined;
  clock: ReturnType<typeof createStopwatch>;
}

/** Answers a query without awaiting, so that the answer reflects a single state of the shard. */
export function answerQuery(
  query: ShardQuery,
  { sql, resident, vectorizeSearch, vectorizeResult, clock }: QueryContext,
): ShardAnswer {
  const view = resident.getView(query.split);
  const allowed = resident.getAllowedChunks(view, query);
  clock.lap('filter');
  const { text, vector, weights } = query;
  let dense: Ranked = NO_HITS;
  let sparse: Ranked = NO_HITS;
  let wordCounts: WordCounts | undefined;
  if (query.candidates !== undefined) {
    dense = rankCandidates(sql, query.candidates, allowed, query.denseTopK);
    clock.lap('dense');
  } else if (vector !== undefined) {
    checkDimension(readDimension(sql), vector.length);
    dense =
      (vectorizeResult &&
        vectorizeSearch?.rank(vectorizeResult, resident, vector, allowed, query.denseTopK)) ??
      rankDense(sql, resident, vector, allowed, query.denseTopK);
    clock.lap('dense');
  }
  if (weights !== undefined) {
    sparse = rankLearned(sql, resident, weights, allowed, query.sparseTopK);
    clock.lap('sparse');
  } else if (text !== undefined) {
    const statistics = query.statistics ?? collectStatistics(resident, text, view);
    sparse = rankSparse(sql, resident, text, statistics, allowed, query.sparseTopK);
    wordCounts = countWords(text, statistics);
    clock.lap('sparse');
  }
  const chunks = readChunks(sql, [...new Set([...dense.locals, ...sparse.locals])]);
  clock.lap('chunks');
  const split = { decided: resident.getDecidedVersions(), held: view.held };
  const hasSplit = Object.values(split).some((each) => Object.keys(each).length > 0);
  return {
    dense: dense.hits,
    sparse: sparse.hits,
    chunks,
    ...(wordCounts && { wordCounts }),
    ...(hasSplit && { split }),
    ...findOvertaken(sql, query.candidates),
    timings: clock.laps,
  };
}
