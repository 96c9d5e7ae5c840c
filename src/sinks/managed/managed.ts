import { BadRequest } from '#src/lib/errors.ts';
import { FILTER_OPERATORS } from '#src/ports/index-types.ts';
import type { SinkCapabilities, SinkStore } from '#src/ports/sink.ts';
import { defineSink } from '#src/sinks/define.ts';
import type { IndexDeps } from './index-deps.ts';
import { managedIndex } from './managed-index.ts';

export const MANAGED_CAPABILITIES: SinkCapabilities = {
  sparse: 'native',
  filters: { operators: FILTER_OPERATORS, nesting: true },
  transactions: true,
  // Far below the platform's 32 MiB a call, and soon analysed.
  batch: { chunks: 256, bytes: 2_000_000 },
};

/** The index that a pipeline without a data sink writes to. It has nothing to set. */
export default defineSink({
  kind: 'managed',
  fields: {},
  location: () => [],
  capabilities: MANAGED_CAPABILITIES,
  open(_, deps: IndexDeps): SinkStore {
    const index = managedIndex(deps);
    return {
      ...index,
      // The first vector that a shard stages decides its dimension.
      async ensure(dimension) {
        if (dimension === 0) throw new BadRequest('Vectors have at least one dimension.');
      },
      async stage(document, chunks) {
        await index.stage(document, chunks);
      },
      // Shards keep all vectors themselves: at most their copies in Vectorize can be lost, which they mend.
      async compare() {
        if (deps.objects.hasVectorCopies) await index.checkCopy();
        return { expected: 0, missing: 0 };
      },
      async restore() {
        return 0;
      },
    };
  },
  /** One object that no index uses answers for all. */
  async check(_, { objects }: Omit<IndexDeps, 'indexId' | 'directory'>) {
    await objects.searchShard('check', 0).stats();
  },
});
