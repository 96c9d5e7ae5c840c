import milvus from '#src/sinks/milvus/milvus.ts';
import { MilvusStore } from '#src/sinks/milvus/store.ts';
import { namingNone } from './external-index.ts';
import { httpStoreSuite } from './http-store-suite.ts';

httpStoreSuite({
  driver: milvus,
  narrowed: namingNone(milvus, (settings, deps) => new MilvusStore(settings, deps)),
  component: { uri: 'http://vectors.test', token: 'key-of-the-vendor', collection_name: 'shared' },
  vendors: [{ vendor: 'milvus', base: 'http://vectors.test:19530' }],
});
