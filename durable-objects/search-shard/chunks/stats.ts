import type { ShardStats } from '#src/ports/shard.ts';
import { capacityOf } from '#src/search/memory.ts';
import { dimensionOf } from '../vectors/dimension.ts';

export function statsOf(sql: SqlStorage): ShardStats {
  const dimension = dimensionOf(sql);
  const counts = sql
    .exec<{ documents: number; chunks: number; staged: number }>(
      `SELECT (SELECT count(*) FROM version WHERE published = 1 AND whole IS NOT 0) AS documents,
         count(*) FILTER (WHERE v.published = 1) AS chunks,
         count(*) FILTER (WHERE v.published = 0) AS staged
       FROM chunk c JOIN version v ON v.key = c.version_key`,
    )
    .one();
  return { ...counts, capacity: capacityOf(dimension), bytes: sql.databaseSize, dimension };
}
