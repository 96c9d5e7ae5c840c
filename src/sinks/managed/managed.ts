import { BadRequest } from '#src/lib/errors.ts';
import { FILTER_OPERATORS } from '#src/ports/index-types.ts';
import type { SinkCapabilities, SinkStore } from '#src/ports/sink.ts';
import { defineSink } from '#src/sinks/define.ts';
import type { IndexDeps } from './index-deps.ts';
import { createManagedIndex } from './managed-index.ts';

export const MANAGED_CAPABILITIES: SinkCapabilities = {
  sparse: 'native',
  filters: { operators: FILTER_OPERATORS, nesting: true },
  transactions: true,
  // Batches stay far below Cloudflare's limit of 32 MiB per call, so that a shard can analyse a batch
  // quickly.
  batch: { chunks: 256, bytes: 2_000_000 },
};

/** Data sink of pipelines that name none. It needs no settings. */
export default defineSink({
  kind: 'managed',
  fields: {},
  location: () => [],
  capabilities: MANAGED_CAPABILITIES,
  open(_, deps: IndexDeps): SinkStore {
    const index = createManagedIndex(deps);
    return {
      ...index,
      // Nothing is created here, because a shard takes its dimension from the first vector that is staged.
      async ensure(dimension) {
        if (dimension === 0) throw new BadRequest('Vectors must have at least one dimension.');
      },
      async stage(document, chunks) {
        await index.stage(document, chunks);
      },
      // Shards keep all vectors themselves, so none are missing. Only the copies in Vectorize can be lost,
      // which shards repair.
      async compare() {
        if (deps.objects.hasVectorCopies) await index.checkCopy();
        return { expected: 0, missing: 0 };
      },
      async restore() {
        return 0;
      },
    };
  },
  /** Calls one Durable Object that no index uses, to check whether shards are available. */
  async check(_, { objects }: Omit<IndexDeps, 'indexId' | 'directory'>) {
    await objects.searchShard('check', 0).stats();
  },
});
