import type { SinkDriver } from '#src/sinks/define.ts';
import { document } from '#test/suites/sink/content.ts';
import { failureRules } from '#test/suites/sink/failures.ts';
import { put } from '#test/suites/sink/fixture.ts';
import { sinkSuite } from '#test/suites/sink.suite.ts';
import { useVendors } from '#test/vendors/client.ts';
import type { Fault, Mount } from '#test/vendors/protocol.ts';
import { fresh, opening } from './external-index.ts';
import { Directory } from './managed-index.ts';

interface NativeStore {
  driver: SinkDriver;
  component: Record<string, unknown>;
  vendors: Mount[];
}

/** More attempts than one call makes with its retries. */
const ATTEMPTS = 8;
/** Calls for which the ledger is enough, because the document that they name has no visible version. */
const WITHOUT_STORE = ['describe', 'remove', 'listChunks', 'stats'];

/** Runs the sink contract against a store that carries the whole search and that a test vendor simulates. */
export function nativeHttpSuite({ driver, component, vendors: mounts }: NativeStore): void {
  const vendors = useVendors(...mounts);
  const open = opening(driver, () => ({ ...component, native_search: true }));

  /** Creates an index with a document, and makes all further requests to its store fail. */
  const failing =
    (fault: Fault) =>
    async (silence = 0.3) => {
      const directory = new Directory();
      directory.sampleIndexed = async () => [{ documentId: 'b', version: 1, chunks: 1 }];
      const index = [crypto.randomUUID(), directory] as const;
      await put(open(...index), document('b'), ['text']);
      const sink = open(...index, fault.kind === 'silent' ? silence : 30);
      await vendors.current.fail(...Array.from({ length: ATTEMPTS }, () => fault));
      return sink;
    };
  /** Fails with a Retry-After that is too long for another attempt within the call. */
  const answering = (status: number) => failing({ kind: 'status', status, headers: { 'retry-after': '60' } });

  const fixture = { kind: driver.kind, capabilities: driver.capabilities, fresh: () => fresh(open) };
  sinkSuite({
    ...fixture,
    failing: {
      401: answering(401),
      403: answering(403),
      429: answering(429),
      500: answering(500),
      timeout: failing({ kind: 'silent' }),
    },
    withoutStore: WITHOUT_STORE,
    keepsDimension: true,
  });
  // A missing collection has no chunks, so reading one is not an error.
  failureRules({ ...fixture, failing: { 404: answering(404) }, withoutStore: [...WITHOUT_STORE, 'chunk'] });
}
