import { z } from 'zod';
import { field } from '#src/lib/schema/component.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { defineStore } from '#src/sinks/external/define-store.ts';
import { checkQdrant } from './check.ts';
import { clientKwargs } from './client-kwargs.ts';
import { qdrantStore } from './store.ts';

const MOST_RETRIES = 10;

/** Qdrant over its REST API: a collection, which several indexes may share. */
export default defineStore({
  kind: 'VENDOR_G',
  title: 'Open-source vector store',
  client: { word: 'QDRANT', className: 'CloudQdrantVectorStore' },
  fields: {
    api_key: secret(),
    collection_name: z.string().describe('Made when it is absent, for cosine similarity.'),
    url: z.string().describe('Without a port that of `client_kwargs`, else 6333.'),
    client_kwargs: clientKwargs,
    max_retries: z.int().min(0).max(MOST_RETRIES).nullable().default(3),
    supports_nested_metadata_filters: field.onlyTrue(),
  },
  location: ({ url, collection_name, client_kwargs }) => [
    url,
    collection_name,
    client_kwargs?.port ?? null,
    client_kwargs?.prefix ?? null,
  ],
  open: qdrantStore,
  check: checkQdrant,
});
