import pinecone from '#src/sinks/pinecone/pinecone.ts';
import { pineconeStore } from '#src/sinks/pinecone/store.ts';
import { document } from '#test/suites/sink/content.ts';
import { put } from '#test/suites/sink/fixture.ts';
import { sinkSuite } from '#test/suites/sink.suite.ts';
import { useVendors } from '#test/vendors/client.ts';
import type { Fault } from '#test/vendors/protocol.ts';
import { fresh, namingNone, opening } from './external-index.ts';
import { Directory } from './managed-index.ts';

const COMPONENT = { api_key: 'key-of-the-vendor', index_name: 'shared', namespace: 'a name space' };
const vendors = useVendors({ vendor: 'pinecone-control' }, { vendor: 'pinecone-data' });

const openPinecone = opening(pinecone, () => COMPONENT);
const openNarrowed = opening(namingNone(pinecone, pineconeStore), () => COMPONENT);

/** An index with a document in it, whose store then fails so. */
const failing = (fault: Fault) => async () => {
  const index = [crypto.randomUUID(), new Directory()] as const;
  await put(openPinecone(...index), document('b'), ['text']);
  // The call itself and its three retries.
  await vendors.current.fail(fault, fault, fault, fault);
  return openPinecone(...index, fault.kind === 'silent' ? 0.3 : 30);
};
const answering = (status: number) => failing({ kind: 'status', status, headers: { 'retry-after': '0' } });

sinkSuite({
  kind: pinecone.kind,
  capabilities: pinecone.capabilities,
  fresh: () => fresh(openPinecone),
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
