import { type SinkDeps, SinkError } from '#src/ports/sink.ts';
import { checkDimension, wrongSetting } from '#src/sinks/external/store-http.ts';
import { addressOf } from './address.ts';
import { BadAddress } from './bad-address.ts';
import { type MongoSettings, mongoConnection } from './connection.ts';
import { listIndexes, unfit } from './search-indexes.ts';
import { namesOf } from './store.ts';

const LONGEST_DATABASE = 63;
const LONGEST_COLLECTION = 200;

/** Asks for the indexes of the collection, which may be absent. Says which setting is wrong where the answer tells. */
export async function checkMongo(settings: MongoSettings, deps: SinkDeps, dimension?: number): Promise<void> {
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
