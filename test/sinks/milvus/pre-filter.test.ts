import { createLogger } from '#src/lib/log.ts';
import milvus from '#src/sinks/milvus/milvus.ts';
import { MilvusStore } from '#src/sinks/milvus/store.ts';
import { preFilterSuite } from '#test/suites/pre-filter.suite.ts';
import { useVendors } from '#test/vendors/client.ts';

useVendors({ vendor: 'milvus', base: 'http://vectors.test:19530', settings: { loading: 0 } });

preFilterSuite({
  name: 'Milvus',
  open: (indexId) =>
    new MilvusStore(milvus.settings.parse({ uri: 'http://vectors.test', token: 'key-of-the-vendor' }), {
      fetch,
      log: createLogger(),
      settings: { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS: 5 },
      indexId,
    }),
  longText: 61_000,
});
