import type { SinkDeps } from '#src/ports/sink.ts';
import { blaming, unlessAbsent, wrongSetting } from '#src/sinks/external/store-http.ts';
import { collectionUrl, type QdrantSettings, qdrantClient } from './client.ts';
import { findCollection, unfit } from './collection.ts';
import { type Collection, written } from './wire.ts';

/** Asks for the collection, which may be absent. Says which setting is wrong where the answer tells. */
export async function checkQdrant(
  settings: QdrantSettings,
  deps: SinkDeps,
  dimension?: number,
): Promise<void> {
  if (!URL.canParse(settings.url.includes('://') ? settings.url : `http://${settings.url}`)) {
    throw wrongSetting('url', 'This is no http or https URL.');
  }
  if (settings.collection_name === '') throw wrongSetting('collection_name', 'A collection has a name.');
  collectionUrl(settings);
  const there = await blaming({ credentials: 'api_key', address: 'url' }, () => findWritable(settings, deps));
  const problem = there && unfit(settings.collection_name, there, dimension);
  if (problem) throw wrongSetting('collection_name', problem);
}

/** Undefined where there is none of the name. A key that may only read is refused as it deletes what nobody has. */
async function findWritable(settings: QdrantSettings, deps: SinkDeps): Promise<Collection | undefined> {
  const client = qdrantClient(settings, deps);
  const nobodys = { points: [crypto.randomUUID()] };
  await unlessAbsent(client.ask('POST', '/points/delete?wait=true', written, nobodys));
  return findCollection(client);
}
