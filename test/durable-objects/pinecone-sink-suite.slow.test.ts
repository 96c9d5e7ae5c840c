import pinecone from '#src/sinks/pinecone/pinecone.ts';
import { PineconeStore } from '#src/sinks/pinecone/store.ts';
import { namingNone } from './external-index.ts';
import { httpStoreSuite } from './http-store-suite.ts';

httpStoreSuite({
  driver: pinecone,
  narrowed: namingNone(pinecone, (settings, deps) => new PineconeStore(settings, deps)),
  component: { api_key: 'key-of-the-vendor', index_name: 'shared', namespace: 'a name space' },
  vendors: [{ vendor: 'pinecone-control' }, { vendor: 'pinecone-data' }],
});
