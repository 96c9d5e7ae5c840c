import milvus from '#src/sinks/milvus/milvus.ts';
import { nativeHttpSuite } from './native-http-suite.ts';

nativeHttpSuite({
  driver: milvus,
  component: { uri: 'http://vectors.test', token: 'key-of-the-vendor', collection_name: 'shared' },
  vendors: [{ vendor: 'milvus', base: 'http://vectors.test:19530' }],
});
