import { derivedId } from '#src/lib/ids.ts';
import type { PointPlace } from '#src/ports/shard.ts';
import type { StoreComparison } from '#src/ports/sink.ts';
import type { ManagedIndex } from '#src/sinks/managed/managed-index.ts';
import type { PointName, VectorStore } from './vector-store.ts';

/** Returns the point names under which a vector store holds the chunks at the given places. */
export function toPointNames(indexId: string, places: PointPlace[]): Promise<PointName[]> {
  return Promise.all(
    places.map(async ({ documentId, version, position }) => {
      const id = await derivedId('point', indexId, documentId, version, position);
      return { id, documentId, version, position };
    }),
  );
}

/**
 * Name of a point that never exists. It is looked up if an index has no points, so that an unreachable store
 * is noticed before a sync run writes to it.
 */
const NO_POINT = { documentId: '', version: 0, position: 0 };

/**
 * Looks up a sample of the index's points in the store, with one request. If one request can name all points,
 * the sample contains all. Otherwise one half are the newest points, which a restored older store lacks, and
 * the other half is random.
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
 * Returns the time, in milliseconds, before which all writes are certain to be visible in the store. Returns
 * `undefined` if writes are visible immediately.
 */
export function getLatestVisibleTime({
  limits: { shownAfter },
}: Pick<VectorStore, 'limits'>): number | undefined {
  return shownAfter === undefined ? undefined : Date.now() - shownAfter * 1000;
}

/**
 * Counts the missing points whose version is still published. If a version was replaced or removed after the
 * sample was drawn, its points are expected to be missing.
 */
async function countPublished(index: ManagedIndex, names: PointName[]): Promise<number> {
  if (names.length === 0) return 0;
  const documentIds = [...new Set(names.map(({ documentId }) => documentId))];
  const versions = new Map(
    (await index.publishedPoints(documentIds)).map(({ documentId, version }) => [documentId, version]),
  );
  return names.filter(({ documentId, version }) => versions.get(documentId) === version).length;
}
