import opensearch from '#src/sinks/opensearch/opensearch.ts';
import { OpenSearchStore } from '#src/sinks/opensearch/store.ts';
import { document } from '#test/suites/sink/content.ts';
import { failureRules } from '#test/suites/sink/failures.ts';
import { put } from '#test/suites/sink/fixture.ts';
import { sinkSuite } from '#test/suites/sink.suite.ts';
import { useVendors } from '#test/vendors/client.ts';
import type { Fault } from '#test/vendors/protocol.ts';
import { fresh, namingNone, opening } from './external-index.ts';
import { httpStoreSuite } from './http-store-suite.ts';
import { Directory } from './managed-index.ts';

type Vendor = 'opensearch' | 'elasticsearch';

function describeCluster(name: string, vendor: Vendor) {
  const base = `https://${vendor}.test`;
  return {
    // Errors name the product, which the suite finds by the kind.
    driver: { ...opensearch, kind: name },
    component: {
      ...{ url: base, index_name: 'shared-by-all', max_retries: 0 },
      ...{ username: 'user', password: 'password-of-the-vendor' },
    },
    vendors: [{ vendor, base }],
  };
}

/** Runs the suite of data sinks against one of the two products that the driver supports. */
export function searchClusterSuite(name: string, vendor: Vendor): void {
  const cluster = describeCluster(name, vendor);
  httpStoreSuite({
    ...cluster,
    narrowed: namingNone(cluster.driver, (settings, deps) => new OpenSearchStore(settings, deps)),
  });
}

/** More attempts than one call makes. */
const ATTEMPTS = 8;

/** Runs the suite against one of the two products, which carries the whole search. */
export function clusterSearchSuite(name: string, vendor: Vendor): void {
  const { driver, component, vendors: mounts } = describeCluster(name, vendor);
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
      await vendors.current.fail(...Array.from({ length: ATTEMPTS }, () => fault));
      return open(...index, fault.kind === 'silent' ? silence : 30);
    };
  const answering = (status: number) => failing({ kind: 'status', status, headers: { 'retry-after': '60' } });

  const fixture = {
    kind: driver.kind,
    capabilities: driver.capabilities,
    fresh: () => fresh(open),
    failing: {
      401: answering(401),
      403: answering(403),
      429: answering(429),
      500: answering(500),
      timeout: failing({ kind: 'silent' }),
    },
    // The ledger knows that the document of these calls does not exist.
    withoutStore: ['describe', 'remove', 'listChunks', 'stats'],
    keepsDimension: true,
  };
  sinkSuite(fixture);
  // A missing index has no chunks, so reading one is not an error.
  failureRules({
    ...fixture,
    failing: { 404: answering(404) },
    withoutStore: [...fixture.withoutStore, 'chunk'],
  });
}
