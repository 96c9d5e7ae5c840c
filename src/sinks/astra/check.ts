import type { SinkDeps } from '#src/ports/sink.ts';
import { blaming, checkDimension, wrongSetting } from '#src/sinks/external/store-http.ts';
import { type AstraSettings, astraClient, keyspaceOf, keyspaceUrl, Refused } from './client.ts';
import { findCollection, unfit } from './collection.ts';

/** Names of keyspaces and collections, and dimensions, that the vendor takes. */
const NAME = /^\w{1,48}$/;
const LARGEST_DIMENSION = 4_096;

/** Asks for the collection, which may be absent. Says which setting is wrong where the answer tells. */
export async function checkAstra(settings: AstraSettings, deps: SinkDeps, dimension?: number): Promise<void> {
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
