import astra from '#src/sinks/astra/astra.ts';
import { AstraStore } from '#src/sinks/astra/store.ts';
import { namingNone } from './external-index.ts';
import { httpStoreSuite } from './http-store-suite.ts';

httpStoreSuite({
  driver: astra,
  narrowed: namingNone(astra, (settings, deps) => new AstraStore(settings, deps)),
  component: {
    token: 'AstraCS:token-of-the-vendor',
    api_endpoint: 'https://astra.test',
    collection_name: 'shared_by_all_indexes',
    embedding_dimension: 8,
  },
  vendors: [{ vendor: 'astra-db', base: 'https://astra.test' }],
});
