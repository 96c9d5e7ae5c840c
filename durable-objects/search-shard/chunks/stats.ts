import type { ShardStats } from '#src/ports/shard.ts';
import { getShardCapacity } from '#src/search/memory.ts';
import { readDimension } from '../vectors/dimension.ts';

export function readStats(sql: SqlStorage): ShardStats {
  const dimension = readDimension(sql);
  const counts = sql
    .exec<{ documents: number; chunks: number; staged: number }>(
      `SELECT (SELECT count(*) FROM version WHERE published = 1 AND whole IS NOT 0) AS documents,
         count(*) FILTER (WHERE v.published = 1) AS chunks,
         count(*) FILTER (WHERE v.published = 0) AS staged
       FROM chunk c JOIN version v ON v.key = c.version_key`,
    )
    .one();
  return { ...counts, capacity: getShardCapacity(dimension), bytes: sql.databaseSize, dimension };
}
