import { z } from 'zod';
import { field } from '#src/lib/schema/component.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import type { SinkDeps } from '#src/ports/sink.ts';
import { defineStore } from '#src/sinks/external/define-store.ts';
import { blaming, unlessAbsent, wrongSetting } from '#src/sinks/external/store-http.ts';
import { collectionUrl, type QdrantSettings, qdrantClient } from './client.ts';
import { clientKwargs } from './client-kwargs.ts';
import { findCollection, unfit } from './collection.ts';
import { qdrantStore } from './store.ts';
import { type Collection, written } from './wire.ts';

const MOST_RETRIES = 10;

/**
 * Vector store in a Qdrant collection, accessed through the REST API. Several indexes may share a collection.
 */
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

/**
 * Validates the settings and the connection. The collection may be missing. Errors name the wrong setting
 * where possible.
 */
async function checkQdrant(settings: QdrantSettings, deps: SinkDeps, dimension?: number): Promise<void> {
  if (!URL.canParse(settings.url.includes('://') ? settings.url : `http://${settings.url}`)) {
    throw wrongSetting('url', 'This is no http or https URL.');
  }
  if (settings.collection_name === '') throw wrongSetting('collection_name', 'A collection has a name.');
  collectionUrl(settings);
  const there = await blaming({ credentials: 'api_key', address: 'url' }, () => findWritable(settings, deps));
  const problem = there && unfit(settings.collection_name, there, dimension);
  if (problem) throw wrongSetting('collection_name', problem);
}

/**
 * Returns `undefined` if the collection does not exist. Deleting a random point id verifies that the API key
 * has write access.
 */
async function findWritable(settings: QdrantSettings, deps: SinkDeps): Promise<Collection | undefined> {
  const client = qdrantClient(settings, deps);
  const nobodys = { points: [crypto.randomUUID()] };
  await unlessAbsent(client.ask('POST', '/points/delete?wait=true', written, nobodys));
  return findCollection(client);
}
