import milvus from '#src/sinks/milvus/milvus.ts';
import { milvusStore } from '#src/sinks/milvus/store.ts';
import { document } from '#test/suites/sink/content.ts';
import { put } from '#test/suites/sink/fixture.ts';
import { sinkSuite } from '#test/suites/sink.suite.ts';
import { useVendors } from '#test/vendors/client.ts';
import type { Fault } from '#test/vendors/protocol.ts';
import { fresh, namingNone, opening } from './external-index.ts';
import { Directory } from './managed-index.ts';

const COMPONENT = { uri: 'http://vectors.test', token: 'key-of-the-vendor', collection_name: 'shared' };
const vendors = useVendors({ vendor: 'milvus', base: 'http://vectors.test:19530' });

const openMilvus = opening(milvus, () => COMPONENT);
const openNarrowed = opening(namingNone(milvus, milvusStore), () => COMPONENT);

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
  fresh: () => fresh(openMilvus),
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
