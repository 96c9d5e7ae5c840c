import { z } from 'zod';
import { field } from '#src/lib/schema/component.ts';
import { secret } from '#src/lib/schema/secret-schema.ts';
import type { SinkDeps } from '#src/ports/sink.ts';
import { defineStore } from '#src/sinks/external/define-store.ts';
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
import { MilvusStore } from './store.ts';

/** Milvus, and Zilliz Cloud, over the REST API (v2): a collection, which several indexes may share. */
export default defineStore({
  kind: 'VENDOR_C',
  title: 'Distributed vector store',
  client: { word: 'MILVUS', className: 'CloudMilvusVectorStore' },
  fields: {
    uri: z.string().describe('http without a port is 19530. A path of one step names the database.'),
    token: secret().nullish(),
    collection_name: field.text().describe('Made when it is absent; without a name it is `sluice`.'),
    embedding_dimension: field.int().describe('Must be that of the embedding model, if it is given.'),
    supports_nested_metadata_filters: field.flagOr(false),
  },
  location: ({ uri, collection_name }) => [uri, collection_name],
  open: (settings, deps) => new MilvusStore(settings, deps),
  check: checkMilvus,
});

/** Asks for the collection, which may be absent. Says which setting is wrong where the answer tells. */
async function checkMilvus(settings: MilvusSettings, deps: SinkDeps, dimension?: number): Promise<void> {
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
