import type { StoredChunk } from '#src/ports/index-types.ts';
import type { Removal } from '#src/ports/shard.ts';
import type { EmbedStored } from '#src/ports/sink.ts';
import type { ManagedIndex } from '#src/sinks/managed/managed-index.ts';
import { toPointNames } from './compare.ts';
import { splitIntoBatches, toPoints } from './points.ts';
import type { PointName, VectorStore } from './vector-store.ts';

const CHUNKS_AT_ONCE = 256;

export type RestoringStore = Pick<VectorStore, 'limits' | 'ensure' | 'upsert' | 'lookUp'>;

interface Parts {
  store: RestoringStore;
  index: ManagedIndex;
  indexId: string;
}

export interface Restored {
  points: number;
  /**
   * Versions that the store must delete: older versions of the restored documents, and versions that were
   * replaced during the restore.
   */
  stale: Removal[];
}

/**
 * Looks up all points of the given documents in the vector store, and writes missing ones again. `embed`
 * computes their vectors from the chunks that the index keeps. Nothing is parsed again.
 */
export async function restorePoints(
  { store, index, indexId }: Parts,
  documentIds: string[],
  embed: EmbedStored,
): Promise<Restored> {
  const missing = await findMissing({ store, index, indexId }, documentIds);
  const byDocument = Map.groupBy(missing, ({ documentId }) => documentId);
  if (byDocument.size === 0) return { points: 0, stale: [] };
  await index.registerDocuments([...byDocument.keys()]);
  let points = 0;
  for await (const chunks of readChunks(index, byDocument)) {
    const vectors = await embed(chunks);
    if (vectors[0]) await store.ensure(vectors[0].length);
    const written = chunks.map((chunk, at) => ({ chunk, vector: vectors[at]! }));
    for (const [documentId, some] of Map.groupBy(written, ({ chunk }) => chunk.documentId)) {
      const { title, metadata } = some[0]!.chunk;
      const document = { documentId, version: byDocument.get(documentId)![0]!.version, title, metadata };
      const all = await toPoints(
        indexId,
        document,
        some.map(({ chunk, vector }) => ({ ...chunk, vector })),
      );
      for (const batch of splitIntoBatches(all, store.limits)) await store.upsert(batch);
      points += all.length;
    }
  }
  return { points, stale: await findStale(index, byDocument) };
}

async function findMissing({ store, index, indexId }: Parts, documentIds: string[]): Promise<PointName[]> {
  const names = await toPointNames(indexId, await index.publishedPoints(documentIds));
  const missing: PointName[] = [];
  for (let from = 0; from < names.length; from += store.limits.lookedUp) {
    const some = names.slice(from, from + store.limits.lookedUp);
    const found = await store.lookUp(some);
    missing.push(...some.filter(({ id }) => !found.has(id)));
  }
  return missing;
}

/** Reads the chunks of missing points in groups that are embedded together. */
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
      const page = await index.listChunks(documentId, { from, limit });
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
