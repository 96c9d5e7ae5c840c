import { describe } from 'vitest';
import qdrant from '#src/sinks/qdrant/qdrant.ts';
import { document } from '#test/suites/sink/content.ts';
import { failureRules } from '#test/suites/sink/failures.ts';
import { put } from '#test/suites/sink/fixture.ts';
import { sinkSuite } from '#test/suites/sink.suite.ts';
import { useVendors } from '#test/vendors/client.ts';
import type { Fault } from '#test/vendors/protocol.ts';
import { fresh, opening } from './external-index.ts';
import { Directory } from './managed-index.ts';
import { QDRANT, QDRANT_VENDOR } from './qdrant-index.ts';

const vendors = useVendors(QDRANT_VENDOR);
const open = opening(qdrant, () => ({ ...QDRANT, native_search: true }));

/** More requests than one call sends. */
const REQUESTS = 8;

/** Directory that knows the document of the index, so that a missing collection is not taken for a new index. */
class IndexedDirectory extends Directory {
  override async sampleIndexed() {
    return [{ documentId: 'b', version: 1, chunks: 1 }];
  }
}

/** Creates an index with a document, and makes all further requests to its store fail. */
const failing =
  (fault: Fault) =>
  async (silence = 0.3) => {
    const index = [crypto.randomUUID(), new IndexedDirectory()] as const;
    await put(open(...index), document('b'), ['text']);
    await vendors.current.fail(...Array.from({ length: REQUESTS }, () => fault));
    return open(...index, fault.kind === 'silent' ? silence : 30);
  };
/** Fails with a Retry-After that is too long for another attempt within the call. */
const answering = (status: number) => failing({ kind: 'status', status, headers: { 'retry-after': '60' } });

const fixture = {
  kind: qdrant.kind,
  capabilities: qdrant.capabilities,
  fresh: () => fresh(open),
  // The ledger knows that the document `a` of these calls is not visible.
  withoutStore: ['describe', 'remove', 'listChunks', 'stats'],
  keepsDimension: true,
};

sinkSuite({
  ...fixture,
  failing: {
    401: answering(401),
    403: answering(403),
    429: answering(429),
    500: answering(500),
    timeout: failing({ kind: 'silent' }),
  },
});

describe('sink without its collection', () => {
  failureRules({
    ...fixture,
    failing: { 404: answering(404) },
    withoutStore: [...fixture.withoutStore, 'chunk'],
  });
});
