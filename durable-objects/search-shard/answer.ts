import type { ShardAnswer, ShardQuery } from '#src/ports/shard.ts';
import { readChunks } from './chunks/chunk-rows.ts';
import type { Resident } from './postings/resident.ts';
import { NOTHING, type Ranked, rankDense, rankSparse, statisticsOf } from './ranking.ts';
import type { stopwatch } from './stopwatch.ts';
import { overtakenAmong, rankCandidates } from './vectors/candidates.ts';
import { checkDimension, dimensionOf } from './vectors/dimension.ts';
import type { Near, NearSearch } from './vectors/near-search.ts';

/** Dependencies of a query: the shard, and the results of Vectorize if it was queried. */
interface Asked {
  sql: SqlStorage;
  resident: Resident;
  nearSearch: NearSearch | undefined;
  near: Near | undefined;
  clock: ReturnType<typeof stopwatch>;
}

/** Runs without awaiting, so that the answer reflects a single state of the shard. */
export function answerQuery(
  query: ShardQuery,
  { sql, resident, nearSearch, near, clock }: Asked,
): ShardAnswer {
  const view = resident.view(query.split);
  const allowed = resident.allowed(view, query);
  clock.lap('filter');
  const { text, vector } = query;
  let dense: Ranked = NOTHING;
  let sparse: Ranked = NOTHING;
  if (query.candidates !== undefined) {
    dense = rankCandidates(sql, query.candidates, allowed, query.denseTopK);
    clock.lap('dense');
  } else if (vector !== undefined) {
    checkDimension(dimensionOf(sql), vector.length);
    dense =
      (near && nearSearch?.rank(near, resident, vector, allowed, query.denseTopK)) ??
      rankDense(sql, resident, vector, allowed, query.denseTopK);
    clock.lap('dense');
  }
  if (text !== undefined) {
    const statistics = query.statistics ?? statisticsOf(resident, text, view);
    sparse = rankSparse(sql, resident, text, statistics, allowed, query.sparseTopK);
    clock.lap('sparse');
  }
  const chunks = readChunks(sql, [...new Set([...dense.locals, ...sparse.locals])]);
  clock.lap('chunks');
  const split = { decided: resident.decided(), held: view.held };
  const hasSplit = Object.values(split).some((each) => Object.keys(each).length > 0);
  return {
    dense: dense.hits,
    sparse: sparse.hits,
    chunks,
    ...(hasSplit && { split }),
    ...overtakenAmong(sql, query.candidates),
    timings: clock.laps,
  };
}
