import type { Shard } from '#src/ports/shard.ts';
import type { SinkDeps } from '#src/ports/sink.ts';
import type { VersionLedger } from '#src/sinks/native/ledger/version-ledger.ts';
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

/** Dependencies of an index whose data sink may be an external store. */
export interface SinkIndexDeps extends IndexDeps {
  /** Visible versions, for an index whose whole search is in a store without transactions. */
  ledger: VersionLedger;
}
