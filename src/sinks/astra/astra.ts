import { z } from 'zod';
import { field } from '#src/lib/schema/component.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import type { SinkDeps } from '#src/ports/sink.ts';
import { defineStore } from '#src/sinks/external/define-store.ts';
import { attributeRefusals, checkDimension, createSettingError } from '#src/sinks/external/store-http.ts';
import {
  type AstraSettings,
  CommandRefused,
  createAstraClient,
  getKeyspace,
  getKeyspaceUrl,
} from './client.ts';
import { describeMismatch, findCollection } from './collection.ts';
import { AstraStore } from './store.ts';

const NAME = /^\w{1,48}$/;

const LARGEST_DIMENSION = 4_096;

/**
 * Data sink for a collection of Astra DB, accessed through the Data API. Several indexes may share a
 * collection.
 */
export default defineStore({
  kind: 'VENDOR_A_DB',
  title: 'Wide-column database store',
  client: { word: 'ASTRA_DB', className: 'CloudAstraDBVectorStore' },
  fields: {
    token: secret(),
    api_endpoint: z.string().describe('URL of the database, without an API path.'),
    collection_name: z.string().describe('Created with cosine similarity if it does not exist.'),
    embedding_dimension: z.int().describe('Must be the dimension of the embedding model.'),
    keyspace: field.text().describe('Defaults to `default_keyspace`.'),
    supports_nested_metadata_filters: field.onlyTrue(),
  },
  location: ({ api_endpoint, keyspace, collection_name }) => [api_endpoint, keyspace, collection_name],
  openSearch: null,
  open: (settings, deps) => new AstraStore(settings, deps),
  check: checkAstra,
});

/**
 * Validates the settings and the connection. The collection may be missing. Errors name the wrong setting
 * where the response reveals it.
 */
async function checkAstra(settings: AstraSettings, deps: SinkDeps, dimension?: number): Promise<void> {
  const { collection_name, embedding_dimension } = settings;
  const wrongName = 'Names consist of 1 to 48 letters, digits and underscores.';
  if (!getKeyspaceUrl(settings))
    throw createSettingError('api_endpoint', 'api_endpoint must be an http or https URL.');
  if (!NAME.test(collection_name)) throw createSettingError('collection_name', wrongName);
  if (!NAME.test(getKeyspace(settings))) throw createSettingError('keyspace', wrongName);
  if (embedding_dimension < 1 || embedding_dimension > LARGEST_DIMENSION) {
    throw createSettingError(
      'embedding_dimension',
      `embedding_dimension must be between 1 and ${LARGEST_DIMENSION}.`,
    );
  }
  checkDimension('embedding_dimension', embedding_dimension, dimension);
  const client = createAstraClient(settings, deps);
  const existing = await attributeRefusals({ credentials: 'token', address: 'api_endpoint' }, () =>
    findCollection(client, collection_name).catch((error: unknown) => {
      const isKeyspace = error instanceof CommandRefused && error.isKeyspaceAbsent;
      throw isKeyspace ? createSettingError('keyspace', error.message) : error;
    }),
  );
  const problem = existing && describeMismatch(existing, embedding_dimension);
  if (problem) throw createSettingError('collection_name', problem);
}
