import { createLogger } from '#src/lib/log.ts';
import milvus from '#src/sinks/milvus/milvus.ts';
import { MilvusChunkStore } from '#src/sinks/milvus/search/chunk-store.ts';
import { chunkStoreSuite } from '#test/suites/chunk-store.suite.ts';
import { useVendors } from '#test/vendors/client.ts';

useVendors({ vendor: 'milvus', base: 'http://vectors.test:19530' });

const settings = milvus.settings.parse({
  ...{ uri: 'http://vectors.test', token: 'key-of-the-vendor', native_search: true },
});
chunkStoreSuite({
  name: 'Milvus',
  open: (indexId) =>
    new MilvusChunkStore(settings, {
      ...{ fetch, log: createLogger(), indexId },
      settings: { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS: 5 },
    }),
});
