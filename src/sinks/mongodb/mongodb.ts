import { z } from 'zod';
import { field } from '#src/lib/schema/component.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { defineStore } from '#src/sinks/external/define-store.ts';
import { placeOf } from './address.ts';
import { checkMongo } from './check.ts';
import { mongoStore } from './store.ts';

/** MongoDB Atlas over the vendor's driver: a collection with search indexes, which several indexes may share. */
export default defineStore({
  kind: 'VENDOR_D',
  title: 'Document database store',
  client: {
    word: 'MONGODB_ATLAS',
    className: 'CloudMongoDBAtlasVectorSearch',
    fields: { db_uri: 'mongodb_uri' },
  },
  fields: {
    db_uri: secret(),
    db_name: z.string(),
    collection_name: z.string().describe('Made when it is absent.'),
    vector_index_name: field.text().describe('Made when it is absent; `vector_index` where none is named.'),
    fulltext_index_name: field
      .text()
      .describe('An index over texts and titles for whoever owns the store, made when it is absent.'),
    embedding_dimension: field.int(),
    supports_nested_metadata_filters: field.flagOr(false),
  },
  location: ({ db_uri, db_name, collection_name, vector_index_name, fulltext_index_name }) => [
    placeOf(db_uri),
    db_name,
    collection_name,
    vector_index_name,
    fulltext_index_name,
  ],
  open: mongoStore,
  check: checkMongo,
});
