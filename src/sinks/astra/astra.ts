import { z } from 'zod';
import { field } from '#src/lib/schema/component.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { defineStore } from '#src/sinks/external/define-store.ts';
import { checkAstra } from './check.ts';
import { astraStore } from './store.ts';

/** Astra DB over its Data API: a collection, which several indexes may share. */
export default defineStore({
  kind: 'VENDOR_A_DB',
  title: 'Wide-column database store',
  client: { word: 'ASTRA_DB', className: 'CloudAstraDBVectorStore' },
  fields: {
    token: secret(),
    api_endpoint: z.string().describe('The address of the database, without a path to its API.'),
    collection_name: z.string().describe('Made when it is absent, for cosine similarity.'),
    embedding_dimension: z.int().describe('Must be that of the embedding model.'),
    keyspace: field.text().describe('`default_keyspace` when omitted.'),
    supports_nested_metadata_filters: field.onlyTrue(),
  },
  location: ({ api_endpoint, keyspace, collection_name }) => [api_endpoint, keyspace, collection_name],
  open: astraStore,
  check: checkAstra,
});
