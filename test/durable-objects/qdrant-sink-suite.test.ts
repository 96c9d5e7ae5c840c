import qdrant from '#src/sinks/qdrant/qdrant.ts';
import { document } from '#test/suites/sink/content.ts';
import { put } from '#test/suites/sink/fixture.ts';
import { sinkSuite } from '#test/suites/sink.suite.ts';
import { useVendors } from '#test/vendors/client.ts';
import type { Fault } from '#test/vendors/protocol.ts';
import { fresh } from './external-index.ts';
import { Directory } from './managed-index.ts';
import { openNarrowed, openQdrant, QDRANT_VENDOR } from './qdrant-index.ts';

const vendors = useVendors(QDRANT_VENDOR);

/** An index with a document in it, whose store then fails so. */
const failing = (fault: Fault) => async () => {
  const index = [crypto.randomUUID(), new Directory()] as const;
  await put(openQdrant(...index), document('b'), ['text']);
  await vendors.current.fail(fault);
  return openQdrant(...index, fault.kind === 'silent' ? 0.3 : 30);
};
const answering = (status: number) => failing({ kind: 'status', status });

sinkSuite({
  kind: qdrant.kind,
  capabilities: qdrant.capabilities,
  fresh: () => fresh(openQdrant),
  narrowing: () => fresh(openNarrowed),
  failing: {
    401: answering(401),
    403: answering(403),
    404: answering(404),
    429: answering(429),
    500: answering(500),
    timeout: failing({ kind: 'silent' }),
  },
  withoutStore: ['remove', 'chunksOf', 'stats'],
  keepsDimension: true,
  oneFilterIn: 5,
});
