import type { Shard } from '#src/ports/shard.ts';
import type { SinkDeps } from '#src/ports/sink.ts';
import type { ShardDirectory } from './shard-directory.ts';

/** What opening an index is given: where its documents are kept, whichever store holds their vectors. */
export interface IndexDeps extends SinkDeps {
  indexId: string;
  /** Finds a shard of an index by its number. `hasVectorCopies`: shards copy their vectors to Vectorize. */
  objects: { searchShard(indexId: string, shard: number): Shard; hasVectorCopies: boolean };
  directory: ShardDirectory;
}
