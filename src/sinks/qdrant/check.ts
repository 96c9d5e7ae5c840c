import { Invalid, Upstream } from '#src/errors.ts';
import type { SinkDeps } from '#src/sinks/sink.ts';
import { collectionUrl, type QdrantSettings, qdrantClient } from './client.ts';
import { findCollection, unfit } from './collection.ts';

const wrong = (name: string, message: string) => Invalid.field(['component', name], message);

/** Asks for the collection, which may be absent. Says which setting is wrong where the answer tells. */
export async function checkQdrant(settings: QdrantSettings, deps: SinkDeps): Promise<void> {
  if (!URL.canParse(settings.url.includes('://') ? settings.url : `http://${settings.url}`)) {
    throw wrong('url', 'This is no http or https URL.');
  }
  if (settings.collection_name === '') throw wrong('collection_name', 'A collection has a name.');
  collectionUrl(settings);
  try {
    const there = await findCollection(qdrantClient(settings, deps));
    const problem = there && unfit(settings.collection_name, there);
    if (problem) throw wrong('collection_name', problem);
  } catch (error) {
    if (!(error instanceof Upstream)) throw error;
    if (error.status === 401 || error.status === 403) throw wrong('api_key', error.message);
    if (error.status !== undefined && error.status >= 300 && error.status < 500 && !error.retryable) {
      throw wrong('url', error.message);
    }
    throw error;
  }
}
