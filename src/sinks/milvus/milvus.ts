import { z } from 'zod';
import { field } from '#src/lib/schema/component.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import type { SinkDeps } from '#src/ports/sink.ts';
import { defineStore } from '#src/sinks/external/define-store.ts';
import { attributeRefusals, checkDimension, createSettingError } from '#src/sinks/external/store-http.ts';
import { createLedgerSearch } from '#src/sinks/native/ledger/ledger-search.ts';
import { nativeSearchField } from '#src/sinks/native/native-search.ts';
import {
  createMilvusClient,
  getCollectionName,
  isCollectionName,
  type MilvusSettings,
  parseUri,
  WRONG_URI,
} from './client.ts';
import { findCollection } from './collection.ts';
import { CHUNKS, describeMismatch, getDimension, POINTS } from './schema.ts';
import { MilvusChunkStore } from './search/chunk-store.ts';
import { MilvusStore } from './store.ts';

/**
 * Data sink for a collection of Milvus or Zilliz Cloud, accessed through the REST API (v2). Several indexes
 * may share a collection.
 */
export default defineStore({
  kind: 'VENDOR_C',
  title: 'Distributed vector store',
  client: { word: 'MILVUS', className: 'CloudMilvusVectorStore' },
  fields: {
    uri: z
      .string()
      .describe('URL of the server. An http URL without a port uses port 19530. A path names the database.'),
    token: secret().nullish(),
    collection_name: field.text().describe('Created if it does not exist. Defaults to `sluice`.'),
    embedding_dimension: field.int().describe('If set, it must be the dimension of the embedding model.'),
    native_search: nativeSearchField(),
    supports_nested_metadata_filters: field.flagOr(false),
  },
  location: ({ uri, collection_name }) => [uri, collection_name],
  open: (settings, deps) => new MilvusStore(settings, deps),
  openSearch: (settings, deps) => {
    const store = new MilvusChunkStore(settings, deps);
    return createLedgerSearch({ store, ledger: deps.ledger, deps });
  },
  check: checkMilvus,
});

/**
 * Validates the settings and the connection. The collection may be missing. Errors name the wrong setting
 * where the response reveals it.
 */
async function checkMilvus(settings: MilvusSettings, deps: SinkDeps, dimension?: number): Promise<void> {
  checkDimension('embedding_dimension', settings.embedding_dimension, dimension);
  const name = getCollectionName(settings);
  if (!parseUri(settings.uri)) throw createSettingError('uri', WRONG_URI);
  if (!isCollectionName(name)) {
    throw createSettingError(
      'collection_name',
      'Collection names consist of at most 255 letters, digits and underscores, and do not start with a digit.',
    );
  }
  const existing = await attributeRefusals({ credentials: 'token', address: 'uri' }, () =>
    findCollection(createMilvusClient(settings, deps)),
  );
  if (!existing) return;
  const problem = describeMismatch(name, existing, settings.native_search === true ? CHUNKS : POINTS);
  if (problem) throw createSettingError('collection_name', problem);
  const wanted = settings.embedding_dimension ?? dimension;
  const held = getDimension(existing);
  if (wanted != null && held !== undefined && wanted !== held) {
    throw createSettingError(
      'embedding_dimension',
      `The collection ${name} holds vectors of ${held} dimensions, not of ${wanted}.`,
    );
  }
}
