import { z } from 'zod';
import { field } from '#src/lib/schema/component.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { type SinkDeps, SinkError } from '#src/ports/sink.ts';
import { defineStore } from '#src/sinks/external/define-store.ts';
import { checkDimension, createSettingError } from '#src/sinks/external/store-http.ts';
import { createLedgerSearch } from '#src/sinks/native/ledger/ledger-search.ts';
import { nativeSearchField } from '#src/sinks/native/native-search.ts';
import { getHostList, parseMongoUri } from './address.ts';
import { BadAddress } from './bad-address.ts';
import { createMongoConnection, getIndexNames, type MongoSettings } from './connection.ts';
import { describeMismatch } from './index-layout.ts';
import { MongoChunkStore } from './search/chunk-store.ts';
import { listIndexes } from './search-indexes.ts';
import { MongoStore } from './store.ts';

const LONGEST_DATABASE = 63;

const LONGEST_COLLECTION = 200;

/**
 * Data sink for a collection of MongoDB Atlas with search indexes, accessed through the MongoDB driver.
 * Several indexes may share a collection.
 */
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
    collection_name: z.string().describe('Created if it does not exist.'),
    vector_index_name: field.text().describe('Created if it does not exist. Defaults to `vector_index`.'),
    fulltext_index_name: field
      .text()
      .describe(
        'Full-text index over texts and titles for your own queries. Created if it does not exist. With `native_search`, it contains the words of chunks, and defaults to `words_index`.',
      ),
    embedding_dimension: field.int(),
    native_search: nativeSearchField(),
    supports_nested_metadata_filters: field.flagOr(false),
  },
  location: ({ db_uri, db_name, collection_name, vector_index_name, fulltext_index_name }) => [
    getHostList(db_uri),
    db_name,
    collection_name,
    vector_index_name,
    fulltext_index_name,
  ],
  openSearch: (settings, deps) => {
    const store = new MongoChunkStore(settings, deps);
    return createLedgerSearch({ store, ledger: deps.ledger, deps });
  },
  open: (settings, deps) => new MongoStore(settings, deps),
  check: checkMongo,
});

/**
 * Validates the settings and the connection. The collection may be missing. Errors name the wrong setting
 * where the response reveals it.
 */
async function checkMongo(settings: MongoSettings, deps: SinkDeps, dimension?: number): Promise<void> {
  const { db_name, collection_name, embedding_dimension } = settings;
  try {
    parseMongoUri(settings.db_uri);
  } catch (error) {
    throw error instanceof BadAddress ? createSettingError('db_uri', error.message) : error;
  }
  if (db_name === '' || db_name.length > LONGEST_DATABASE || /[\s/\\."$*<>:|?\0]/.test(db_name)) {
    throw createSettingError(
      'db_name',
      'Database names have 1 to 63 characters, without spaces and without /\\."$*<>:|?',
    );
  }
  const isUsable = /^(?!system\.)[^$\0.][^$\0]*$/.test(collection_name);
  if (!isUsable || collection_name.length > LONGEST_COLLECTION) {
    throw createSettingError(
      'collection_name',
      'Collection names have at most 200 characters, without $, and do not begin with "system.".',
    );
  }
  checkDimension('embedding_dimension', embedding_dimension, dimension);
  const names = getIndexNames(settings);
  if (names.vector === names.text) {
    throw createSettingError('fulltext_index_name', 'The two indexes must have different names.');
  }
  const connection = createMongoConnection(settings, deps);
  const existing = await connection
    .run('the list of its indexes', (db) => listIndexes(db.collection(collection_name)))
    .catch((error: unknown) => {
      const isLasting = error instanceof SinkError && !error.retryable;
      throw isLasting ? createSettingError('db_uri', error.message) : error;
    });
  const problem = describeMismatch(existing, names, embedding_dimension ?? dimension);
  if (problem)
    throw createSettingError(
      problem.includes('fulltext') ? 'fulltext_index_name' : 'vector_index_name',
      problem,
    );
}
