import { createLogger } from '#src/lib/log.ts';
import qdrant from '#src/sinks/qdrant/qdrant.ts';
import { createQdrantStore } from '#src/sinks/qdrant/store.ts';
import { preFilterSuite } from '#test/suites/pre-filter.suite.ts';
import { useVendors } from '#test/vendors/client.ts';

useVendors({ vendor: 'qdrant', base: 'https://vectors.test:6333' });

preFilterSuite({
  name: 'Qdrant',
  open: (indexId) =>
    createQdrantStore(
      qdrant.settings.parse({
        ...{ api_key: 'key-of-the-vendor', collection_name: 'c', url: 'https://vectors.test' },
        max_retries: 0,
      }),
      {
        fetch,
        log: createLogger(),
        settings: { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS: 5 },
        indexId,
      },
    ),
});
