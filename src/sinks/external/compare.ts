import { derivedId } from '#src/lib/ids.ts';
import type { PointPlace } from '#src/ports/shard.ts';
import type { StoreComparison } from '#src/ports/sink.ts';
import type { ManagedIndex } from '#src/sinks/managed/managed-index.ts';
import type { PointName, VectorStore } from './vector-store.ts';

/** Returns the names that the points of these chunks have in a store. */
export function namePoints(indexId: string, places: PointPlace[]): Promise<PointName[]> {
  return Promise.all(
    places.map(async ({ documentId, version, position }) => {
      const id = await derivedId('point', indexId, documentId, version, position);
      return { id, documentId, version, position };
    }),
  );
}

/** Looked up for an index without points: a store that does not answer is noticed before a sync writes to it. */
const NO_POINT = { documentId: '', version: 0, position: 0 };

/**
 * Looks up a sample of the index's points in the store, by one call. An index of no more points than one look-up may
 * name is compared in full. Of a larger one, half of the sample are the newest points, which a store that returned to
 * an older state lacks, and half are drawn at random.
 */
export async function compareWithStore(
  store: VectorStore,
  index: ManagedIndex,
  indexId: string,
): Promise<StoreComparison> {
  const places = await index.samplePoints(store.limits.lookedUp, writtenBy(store));
  if (places.length === 0) {
    await store.lookUp(await namePoints(indexId, [NO_POINT]));
    return { expected: 0, missing: 0 };
  }
  const names = await namePoints(indexId, places);
  const found = await store.lookUp(names);
  const missing = names.filter(({ id }) => !found.has(id));
  return { expected: names.length, missing: await countPublished(index, missing) };
}

/** The latest version (a time in milliseconds) that the store surely shows; `undefined` if it shows every write at once. */
export function writtenBy({ limits: { shownAfter } }: Pick<VectorStore, 'limits'>): number | undefined {
  return shownAfter === undefined ? undefined : Date.now() - shownAfter * 1000;
}

/** Versions that were replaced or removed since the sample was drawn are rightly gone. */
async function countPublished(index: ManagedIndex, names: PointName[]): Promise<number> {
  if (names.length === 0) return 0;
  const documentIds = [...new Set(names.map(({ documentId }) => documentId))];
  const versions = new Map(
    (await index.publishedPoints(documentIds)).map(({ documentId, version }) => [documentId, version]),
  );
  return names.filter(({ documentId, version }) => versions.get(documentId) === version).length;
}
