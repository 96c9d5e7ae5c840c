import { blaming, wrongSetting } from '#src/sinks/external/store-http.ts';
import type { SinkDeps } from '#src/sinks/sink.ts';
import { collectionUrl, type QdrantSettings, qdrantClient } from './client.ts';
import { findCollection, unfit } from './collection.ts';

/** Asks for the collection, which may be absent. Says which setting is wrong where the answer tells. */
export async function checkQdrant(settings: QdrantSettings, deps: SinkDeps): Promise<void> {
  if (!URL.canParse(settings.url.includes('://') ? settings.url : `http://${settings.url}`)) {
    throw wrongSetting('url', 'This is no http or https URL.');
  }
  if (settings.collection_name === '') throw wrongSetting('collection_name', 'A collection has a name.');
  collectionUrl(settings);
  const there = await blaming({ credentials: 'api_key', address: 'url' }, () =>
    findCollection(qdrantClient(settings, deps)),
  );
  const problem = there && unfit(settings.collection_name, there);
  if (problem) throw wrongSetting('collection_name', problem);
}
