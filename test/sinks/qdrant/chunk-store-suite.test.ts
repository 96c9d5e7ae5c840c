import { createLogger } from '#src/lib/log.ts';
import qdrant from '#src/sinks/qdrant/qdrant.ts';
import { createQdrantChunkStore } from '#src/sinks/qdrant/search/chunk-store.ts';
import { chunkStoreSuite } from '#test/suites/chunk-store.suite.ts';
import { useVendors } from '#test/vendors/client.ts';

useVendors({ vendor: 'qdrant', base: 'https://vectors.test:6333' });

const settings = qdrant.settings.parse({
  ...{ api_key: 'key-of-the-vendor', collection_name: 'c', url: 'https://vectors.test' },
  ...{ max_retries: 0, native_search: true },
});
chunkStoreSuite({
  name: 'Qdrant',
  open: (indexId) =>
    createQdrantChunkStore(settings, {
      ...{ fetch, log: createLogger(), indexId },
      settings: { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS: 5 },
    }),
});
