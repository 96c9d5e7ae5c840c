import { z } from 'zod';
import { field } from '#src/lib/schema/component.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { defineStore } from '#src/sinks/external/define-store.ts';
import { checkPinecone } from './check.ts';
import { insertKwargs } from './insert-kwargs.ts';
import { pineconeStore } from './store.ts';

/** Pinecone over its HTTP API: a namespace of an index that is there, which several indexes may share. */
export default defineStore({
  kind: 'VENDOR_E',
  title: 'Managed vector store',
  client: { word: 'PINECONE', className: 'CloudPineconeVectorStore' },
  fields: {
    api_key: secret(),
    index_name: z.string().describe('Of dense vectors, compared by cosine or dotproduct. It must be there.'),
    namespace: field.text(),
    insert_kwargs: insertKwargs,
    supports_nested_metadata_filters: field.onlyTrue(),
  },
  location: ({ index_name, namespace }) => [index_name, namespace],
  open: pineconeStore,
  check: checkPinecone,
});
