import { createLogger } from '#src/lib/log.ts';
import pinecone from '#src/sinks/pinecone/pinecone.ts';
import { PineconeStore } from '#src/sinks/pinecone/store.ts';
import { preFilterSuite } from '#test/suites/pre-filter.suite.ts';
import { useVendors } from '#test/vendors/client.ts';

useVendors({ vendor: 'pinecone-control' }, { vendor: 'pinecone-data' });

preFilterSuite({
  name: 'Pinecone',
  open: (indexId) =>
    new PineconeStore(pinecone.settings.parse({ api_key: 'key-of-the-vendor', index_name: 'i' }), {
      fetch,
      log: createLogger(),
      settings: { ALLOW_PRIVATE_ADDRESSES: true, SILENCE_SECONDS: 5 },
      indexId,
    }),
});
