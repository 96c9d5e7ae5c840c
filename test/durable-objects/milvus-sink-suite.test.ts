import milvus from '#src/sinks/milvus/milvus.ts';
import { document } from '#test/suites/sink/content.ts';
import { put } from '#test/suites/sink/fixture.ts';
import { sinkSuite } from '#test/suites/sink.suite.ts';
import { useVendors } from '#test/vendors/client.ts';
import type { Fault } from '#test/vendors/protocol.ts';
import { Directory } from './managed-index.ts';
import { MILVUS_VENDOR, openMilvus } from './milvus-index.ts';

const vendors = useVendors(MILVUS_VENDOR);

/** An index with a document in it, whose store then fails so. */
const failing = (fault: Fault) => async () => {
  const index = [crypto.randomUUID(), new Directory()] as const;
  await put(openMilvus(...index), document('b'), ['text']);
  // The call itself and its three retries.
  await vendors.current.fail(fault, fault, fault, fault);
  return openMilvus(...index, fault.kind === 'silent' ? 0.3 : 30);
};
const answering = (status: number) => failing({ kind: 'status', status, headers: { 'retry-after': '0' } });

sinkSuite({
  kind: milvus.kind,
  capabilities: milvus.capabilities,
  fresh() {
    const index = [crypto.randomUUID(), new Directory()] as const;
    return () => openMilvus(...index);
  },
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
