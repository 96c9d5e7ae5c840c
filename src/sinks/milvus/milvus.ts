import { z } from 'zod';
import { field } from '#src/lib/schema/component.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { defineStore } from '#src/sinks/external/define-store.ts';
import { checkMilvus } from './check.ts';
import { milvusStore } from './store.ts';

/** Milvus, and Zilliz Cloud, over the REST API (v2): a collection, which several indexes may share. */
export default defineStore({
  kind: 'VENDOR_C',
  title: 'Distributed vector store',
  client: { word: 'MILVUS', className: 'CloudMilvusVectorStore' },
  fields: {
    uri: z.string().describe('http without a port is 19530. A path of one step names the database.'),
    token: secret().nullish(),
    collection_name: field.text().describe('Made when it is absent; without a name it is `sluice`.'),
    embedding_dimension: field.int().describe('Must be that of the embedding model, if it is given.'),
    supports_nested_metadata_filters: field.flagOr(false),
  },
  location: ({ uri, collection_name }) => [uri, collection_name],
  open: milvusStore,
  check: checkMilvus,
});
