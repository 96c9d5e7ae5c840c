import { z } from 'zod';
import { field } from '#src/lib/schema/component.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import { type SinkDeps, SinkError } from '#src/ports/sink.ts';
import { defineStore } from '#src/sinks/external/define-store.ts';
import { checkDimension, wrongSetting } from '#src/sinks/external/store-http.ts';
import { addressOf, placeOf } from './address.ts';
import { BadAddress } from './bad-address.ts';
import { type MongoSettings, mongoConnection } from './connection.ts';
import { listIndexes, unfit } from './search-indexes.ts';
import { MongoStore, namesOf } from './store.ts';

const LONGEST_DATABASE = 63;

const LONGEST_COLLECTION = 200;

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
  open: (settings, deps) => new MongoStore(settings, deps),
  check: checkMongo,
});

/** Asks for the indexes of the collection, which may be absent. Says which setting is wrong where the answer tells. */
async function checkMongo(settings: MongoSettings, deps: SinkDeps, dimension?: number): Promise<void> {
  const { db_name, collection_name, embedding_dimension } = settings;
  try {
    addressOf(settings.db_uri);
  } catch (error) {
    throw error instanceof BadAddress ? wrongSetting('db_uri', error.message) : error;
  }
  if (db_name === '' || db_name.length > LONGEST_DATABASE || /[\s/\\."$*<>:|?\0]/.test(db_name)) {
    throw wrongSetting(
      'db_name',
      'A database has a name of up to 63 signs, without spaces and any of /\\."$*<>:|?',
    );
  }
  const isUsable = /^(?!system\.)[^$\0.][^$\0]*$/.test(collection_name);
  if (!isUsable || collection_name.length > LONGEST_COLLECTION) {
    throw wrongSetting(
      'collection_name',
      'A collection has a name of up to 200 signs, without $, that does not begin with system.',
    );
  }
  checkDimension('embedding_dimension', embedding_dimension, dimension);
  const names = namesOf(settings);
  if (names.vector === names.text) {
    throw wrongSetting('fulltext_index_name', 'The two indexes have names of their own.');
  }
  const connection = mongoConnection(settings, deps);
  const there = await connection
    .run('a list of its indexes', (db) => listIndexes(db.collection(collection_name)))
    .catch((error: unknown) => {
      const isLasting = error instanceof SinkError && !error.retryable;
      throw isLasting ? wrongSetting('db_uri', error.message) : error;
    });
  const problem = unfit(there, names, embedding_dimension ?? dimension);
  if (problem)
    throw wrongSetting(problem.includes('fulltext') ? 'fulltext_index_name' : 'vector_index_name', problem);
}
