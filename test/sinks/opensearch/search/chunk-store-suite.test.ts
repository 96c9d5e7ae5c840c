import opensearch from '#src/sinks/opensearch/opensearch.ts';
import { OpenSearchChunkStore } from '#src/sinks/opensearch/search/chunk-store.ts';
import { chunkStoreSuite } from '#test/suites/chunk-store.suite.ts';
import { useVendors } from '#test/vendors/client.ts';
import { buildComponent, buildDeps, PRODUCTS } from '../stores.ts';

useVendors(...PRODUCTS);

for (const product of PRODUCTS) {
  const settings = opensearch.settings.parse(buildComponent(product, { native_search: true }));
  chunkStoreSuite({
    name: product.name,
    open: (indexId) => new OpenSearchChunkStore(settings, buildDeps(indexId)),
  });
}
