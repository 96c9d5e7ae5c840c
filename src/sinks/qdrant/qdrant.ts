import { z } from 'zod';
import { field } from '#src/lib/schema/component.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import type { SinkDeps } from '#src/ports/sink.ts';
import { defineStore } from '#src/sinks/external/define-store.ts';
import { attributeRefusals, createSettingError, ignoreNotFound } from '#src/sinks/external/store-http.ts';
import { createLedgerSearch } from '#src/sinks/native/ledger/ledger-search.ts';
import { nativeSearchField } from '#src/sinks/native/native-search.ts';
import { createQdrantClient, getCollectionUrl, type QdrantSettings } from './client.ts';
import { clientKwargs } from './client-kwargs.ts';
import { describeMismatch, findCollection } from './collection.ts';
import { createQdrantChunkStore } from './search/chunk-store.ts';
import { createQdrantStore } from './store.ts';
import { type Collection, written } from './wire.ts';

const MAX_RETRIES = 10;

/**
 * Data sink for a Qdrant collection, accessed through the REST API. Several indexes may share a collection.
 */
export default defineStore({
  kind: 'VENDOR_G',
  title: 'Open-source vector store',
  client: { word: 'QDRANT', className: 'CloudQdrantVectorStore' },
  fields: {
    api_key: secret(),
    collection_name: z.string().describe('Created with cosine similarity if it does not exist.'),
    url: z
      .string()
      .describe('URL of the server. Without a port, the port of `client_kwargs` or 6333 is used.'),
    client_kwargs: clientKwargs,
    native_search: nativeSearchField(),
    max_retries: z.int().min(0).max(MAX_RETRIES).nullable().default(3),
    supports_nested_metadata_filters: field.onlyTrue(),
  },
  location: ({ url, collection_name, client_kwargs }) => [
    url,
    collection_name,
    client_kwargs?.port ?? null,
    client_kwargs?.prefix ?? null,
  ],
  openSearch: (settings, deps) =>
    createLedgerSearch({ store: createQdrantChunkStore(settings, deps), ledger: deps.ledger, deps }),
  open: createQdrantStore,
  check: checkQdrant,
});

/**
 * Validates the settings and the connection. The collection does not have to exist yet. Errors name the wrong
 * setting if Qdrant's response reveals it.
 */
async function checkQdrant(settings: QdrantSettings, deps: SinkDeps, dimension?: number): Promise<void> {
  if (!URL.canParse(settings.url.includes('://') ? settings.url : `http://${settings.url}`)) {
    throw createSettingError('url', 'url must be an http or https URL.');
  }
  if (settings.collection_name === '')
    throw createSettingError('collection_name', 'collection_name must not be empty.');
  getCollectionUrl(settings);
  const existing = await attributeRefusals({ credentials: 'api_key', address: 'url' }, () =>
    findWritable(settings, deps),
  );
  const problem = existing && describeMismatch(settings, existing, dimension);
  if (problem) throw createSettingError('collection_name', problem);
}

/**
 * Returns the collection, or `undefined` if it does not exist. Deletes a random point id first, which
 * verifies that the API key has write access.
 */
async function findWritable(settings: QdrantSettings, deps: SinkDeps): Promise<Collection | undefined> {
  const client = createQdrantClient(settings, deps);
  const randomPoint = { points: [crypto.randomUUID()] };
  await ignoreNotFound(client.ask('POST', '/points/delete?wait=true', written, randomPoint));
  return findCollection(client);
}
