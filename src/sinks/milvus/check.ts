import type { SinkDeps } from '#src/ports/sink.ts';
import { blaming, checkDimension, wrongSetting } from '#src/sinks/external/store-http.ts';
import {
  addressOf,
  collectionOf,
  isCollectionName,
  type MilvusSettings,
  milvusClient,
  WRONG_URI,
} from './client.ts';
import { findCollection } from './collection.ts';
import { dimensionOf, unfit } from './schema.ts';

/** Asks for the collection, which may be absent. Says which setting is wrong where the answer tells. */
export async function checkMilvus(
  settings: MilvusSettings,
  deps: SinkDeps,
  dimension?: number,
): Promise<void> {
  checkDimension('embedding_dimension', settings.embedding_dimension, dimension);
  const name = collectionOf(settings);
  if (!addressOf(settings.uri)) throw wrongSetting('uri', WRONG_URI);
  if (!isCollectionName(name)) {
    throw wrongSetting(
      'collection_name',
      'A name has letters, digits and _, no digit first, and 255 at most.',
    );
  }
  const there = await blaming({ credentials: 'token', address: 'uri' }, () =>
    findCollection(milvusClient(settings, deps)),
  );
  if (!there) return;
  const problem = unfit(name, there);
  if (problem) throw wrongSetting('collection_name', problem);
  const wanted = settings.embedding_dimension ?? dimension;
  const held = dimensionOf(there);
  if (wanted != null && held !== undefined && wanted !== held) {
    throw wrongSetting(
      'embedding_dimension',
      `The collection ${name} holds vectors of ${held} dimensions, not of ${wanted}.`,
    );
  }
}
