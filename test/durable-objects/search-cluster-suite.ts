import opensearch from '#src/sinks/opensearch/opensearch.ts';
import { OpenSearchStore } from '#src/sinks/opensearch/store.ts';
import { namingNone } from './external-index.ts';
import { httpStoreSuite } from './http-store-suite.ts';

/** Runs the suite of data sinks against one of the two products that the driver supports. */
export function searchClusterSuite(name: string, vendor: 'opensearch' | 'elasticsearch'): void {
  const base = `https://${vendor}.test`;
  // Errors name the product, which the suite finds by the kind.
  const driver = { ...opensearch, kind: name };
  httpStoreSuite({
    driver,
    narrowed: namingNone(driver, (settings, deps) => new OpenSearchStore(settings, deps)),
    component: {
      ...{ url: base, index_name: 'shared-by-all', max_retries: 0 },
      ...{ username: 'user', password: 'password-of-the-vendor' },
    },
    vendors: [{ vendor, base }],
  });
}
