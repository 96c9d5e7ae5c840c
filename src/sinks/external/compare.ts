import { derivedId } from '#src/lib/ids.ts';
import type { PointPlace } from '#src/ports/shard.ts';
import type { StoreComparison } from '#src/ports/sink.ts';
import type { ManagedIndex } from '#src/sinks/managed/managed-index.ts';
import type { PointName, VectorStore } from './vector-store.ts';

/** Returns the names of the points that store these chunks. */
export function toPointNames(indexId: string, places: PointPlace[]): Promise<PointName[]> {
  return Promise.all(
    places.map(async ({ documentId, version, position }) => {
      const id = await derivedId('point', indexId, documentId, version, position);
      return { id, documentId, version, position };
    }),
  );
}

/**
 * Name of a point that never exists. It is looked up for an index without points, so that a store that does
 * not answer is noticed before a sync run writes to it.
 */
const NO_POINT = { documentId: '', version: 0, position: 0 };

/**
 * Looks up a sample of the index's points in the store, with one request. If one request can name all points,
 * the comparison is complete. Otherwise half of the sample are the newest points, which are missing in a
 * store that was restored to an older state. The other half is random.
 */
export async function compareWithStore(
  store: VectorStore,
  index: ManagedIndex,
  indexId: string,
): Promise<StoreComparison> {
  const places = await index.samplePoints(store.limits.lookedUp, getLatestVisibleTime(store));
  if (places.length === 0) {
    await store.lookUp(await toPointNames(indexId, [NO_POINT]));
    return { expected: 0, missing: 0 };
  }
  const names = await toPointNames(indexId, places);
  const found = await store.lookUp(names);
  const missing = names.filter(({ id }) => !found.has(id));
  return { expected: names.length, missing: await countPublished(index, missing) };
}

/**
 * Returns the latest version, a time in milliseconds, that the store is certain to show by now. Returns
 * `undefined` if the store shows every write immediately.
 */
export function getLatestVisibleTime({
  limits: { shownAfter },
}: Pick<VectorStore, 'limits'>): number | undefined {
  return shownAfter === undefined ? undefined : Date.now() - shownAfter * 1000;
}

/**
 * Counts the missing points whose version is still published. Versions that were replaced or removed after
 * the sample was drawn are expected to be missing.
 */
async function countPublished(index: ManagedIndex, names: PointName[]): Promise<number> {
  if (names.length === 0) return 0;
  const documentIds = [...new Set(names.map(({ documentId }) => documentId))];
  const versions = new Map(
    (await index.publishedPoints(documentIds)).map(({ documentId, version }) => [documentId, version]),
  );
  return names.filter(({ documentId, version }) => versions.get(documentId) === version).length;
}
