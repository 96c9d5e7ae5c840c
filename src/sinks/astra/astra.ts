import { z } from 'zod';
import { field } from '#src/lib/schema/component.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import type { SinkDeps } from '#src/ports/sink.ts';
import { defineStore } from '#src/sinks/external/define-store.ts';
import { blaming, checkDimension, wrongSetting } from '#src/sinks/external/store-http.ts';
import { type AstraSettings, astraClient, keyspaceOf, keyspaceUrl, Refused } from './client.ts';
import { findCollection, unfit } from './collection.ts';
import { AstraStore } from './store.ts';

/** Names of keyspaces and collections, and dimensions, that the vendor takes. */
const NAME = /^\w{1,48}$/;

const LARGEST_DIMENSION = 4_096;

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
  open: (settings, deps) => new AstraStore(settings, deps),
  check: checkAstra,
});

/** Asks for the collection, which may be absent. Says which setting is wrong where the answer tells. */
async function checkAstra(settings: AstraSettings, deps: SinkDeps, dimension?: number): Promise<void> {
  const { collection_name, embedding_dimension } = settings;
  const wrongName = 'A name has 1 to 48 letters, digits and underscores.';
  if (!keyspaceUrl(settings)) throw wrongSetting('api_endpoint', 'This is no http or https URL.');
  if (!NAME.test(collection_name)) throw wrongSetting('collection_name', wrongName);
  if (!NAME.test(keyspaceOf(settings))) throw wrongSetting('keyspace', wrongName);
  if (embedding_dimension < 1 || embedding_dimension > LARGEST_DIMENSION) {
    throw wrongSetting('embedding_dimension', `Vectors have 1 to ${LARGEST_DIMENSION} dimensions.`);
  }
  checkDimension('embedding_dimension', embedding_dimension, dimension);
  const client = astraClient(settings, deps);
  const there = await blaming({ credentials: 'token', address: 'api_endpoint' }, () =>
    findCollection(client, collection_name).catch((error: unknown) => {
      const isKeyspace = error instanceof Refused && error.isKeyspaceAbsent;
      throw isKeyspace ? wrongSetting('keyspace', error.message) : error;
    }),
  );
  const problem = there && unfit(there, embedding_dimension);
  if (problem) throw wrongSetting('collection_name', problem);
}
