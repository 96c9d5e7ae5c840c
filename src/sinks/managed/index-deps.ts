import type { Shard } from '#src/ports/shard.ts';
import type { SinkDeps } from '#src/ports/sink.ts';
import type { ShardDirectory } from './shard-directory.ts';

/**
 * Dependencies of an index. Its documents are stored in shards, even if an external store holds their
 * vectors.
 */
export interface IndexDeps extends SinkDeps {
  indexId: string;
  /**
   * Returns a shard of an index by its number. `hasVectorCopies` is true if shards copy their vectors to
   * Vectorize.
   */
  objects: { searchShard(indexId: string, shard: number): Shard; hasVectorCopies: boolean };
  directory: ShardDirectory;
}
