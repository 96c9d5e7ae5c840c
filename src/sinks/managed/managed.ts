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
  // These limits are far below Cloudflare's limit of 32 MiB per call, and such a batch is analysed quickly.
  batch: { chunks: 256, bytes: 2_000_000 },
};

/** Index of pipelines without a data sink. It has no settings. */
export default defineSink({
  kind: 'managed',
  fields: {},
  location: () => [],
  capabilities: MANAGED_CAPABILITIES,
  open(_, deps: IndexDeps): SinkStore {
    const index = createManagedIndex(deps);
    return {
      ...index,
      // The first vector that a shard stages defines the dimension of the shard.
      async ensure(dimension) {
        if (dimension === 0) throw new BadRequest('Vectors must have at least one dimension.');
      },
      async stage(document, chunks) {
        await index.stage(document, chunks);
      },
      // Shards keep all vectors themselves. Only their copies in Vectorize can be lost, and shards repair
      // those copies.
      async compare() {
        if (deps.objects.hasVectorCopies) await index.checkCopy();
        return { expected: 0, missing: 0 };
      },
      async restore() {
        return 0;
      },
    };
  },
  /** Checks one Durable Object that no index uses, as a sample of all shards. */
  async check(_, { objects }: Omit<IndexDeps, 'indexId' | 'directory'>) {
    await objects.searchShard('check', 0).stats();
  },
});
