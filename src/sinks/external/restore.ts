import type { StoredChunk } from '#src/ports/index-types.ts';
import type { Removal } from '#src/ports/shard.ts';
import type { EmbedStored } from '#src/ports/sink.ts';
import type { ManagedIndex } from '#src/sinks/managed/managed-index.ts';
import { namePoints } from './compare.ts';
import { batchesOf, pointsOf } from './points.ts';
import type { PointName, VectorStore } from './vector-store.ts';

/** Maximum number of chunks that are read, embedded and written together. */
const CHUNKS_AT_ONCE = 256;

/** The parts of a store that restoring uses. */
export type RestoringStore = Pick<VectorStore, 'limits' | 'ensure' | 'upsert' | 'lookUp'>;

interface Parts {
  store: RestoringStore;
  index: ManagedIndex;
  indexId: string;
}

export interface Restored {
  /** Number of points that were written. */
  points: number;
  /** Versions that the store must not hold: older ones of the restored documents, and those replaced meanwhile. */
  stale: Removal[];
}

/**
 * Looks up all points of these documents in the store and writes those that are missing, from the chunks that the index
 * keeps. Nothing is parsed or chunked again; `embed` makes the vectors, which only the store had.
 */
export async function restorePoints(
  { store, index, indexId }: Parts,
  documentIds: string[],
  embed: EmbedStored,
): Promise<Restored> {
  const missing = await findMissing({ store, index, indexId }, documentIds);
  const byDocument = Map.groupBy(missing, ({ documentId }) => documentId);
  if (byDocument.size === 0) return { points: 0, stale: [] };
  // Reads the shards of all these documents at once.
  await index.enter([...byDocument.keys()]);
  let points = 0;
  for await (const chunks of readChunks(index, byDocument)) {
    const vectors = await embed(chunks);
    if (vectors[0]) await store.ensure(vectors[0].length);
    const written = chunks.map((chunk, at) => ({ chunk, vector: vectors[at]! }));
    for (const [documentId, some] of Map.groupBy(written, ({ chunk }) => chunk.documentId)) {
      const { title, metadata } = some[0]!.chunk;
      const document = { documentId, version: byDocument.get(documentId)![0]!.version, title, metadata };
      const all = await pointsOf(
        indexId,
        document,
        some.map(({ chunk, vector }) => ({ ...chunk, vector })),
      );
      for (const batch of batchesOf(all, store.limits)) await store.upsert(batch);
      points += all.length;
    }
  }
  return { points, stale: await findStale(index, byDocument) };
}

async function findMissing({ store, index, indexId }: Parts, documentIds: string[]): Promise<PointName[]> {
  const names = await namePoints(indexId, await index.publishedPoints(documentIds));
  const missing: PointName[] = [];
  for (let from = 0; from < names.length; from += store.limits.lookedUp) {
    const some = names.slice(from, from + store.limits.lookedUp);
    const found = await store.lookUp(some);
    missing.push(...some.filter(({ id }) => !found.has(id)));
  }
  return missing;
}

/** Reads the chunks of missing points, as many at once as are embedded together. */
async function* readChunks(
  index: ManagedIndex,
  byDocument: Map<string, PointName[]>,
): AsyncGenerator<StoredChunk[]> {
  let ready: StoredChunk[] = [];
  for (const [documentId, names] of byDocument) {
    const positions = new Set(names.map(({ position }) => position));
    const last = Math.max(...positions);
    for (let from = Math.min(...positions); from <= last; from += CHUNKS_AT_ONCE) {
      const limit = Math.min(CHUNKS_AT_ONCE, last - from + 1);
      const page = await index.chunksOf(documentId, { from, limit });
      ready.push(...page.filter(({ position }) => positions.has(position)));
      while (ready.length >= CHUNKS_AT_ONCE) {
        yield ready.slice(0, CHUNKS_AT_ONCE);
        ready = ready.slice(CHUNKS_AT_ONCE);
      }
    }
  }
  if (ready.length > 0) yield ready;
}

async function findStale(index: ManagedIndex, byDocument: Map<string, PointName[]>): Promise<Removal[]> {
  const places = await index.publishedPoints([...byDocument.keys()]);
  const published = new Map(places.map(({ documentId, version }) => [documentId, version]));
  return [...byDocument].map(([documentId, [first]]) => {
    const isCurrent = published.get(documentId) === first!.version;
    return { documentId, version: isCurrent ? first!.version - 1 : first!.version };
  });
}
