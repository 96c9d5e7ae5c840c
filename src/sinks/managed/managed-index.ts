import type { Filters, IndexedChunk, IndexedDocument, StoredChunk } from '#src/ports/index-types.ts';
import type { Shard, ShardAnswer, ShardQuery } from '#src/ports/shard.ts';
import type { SinkStore } from '#src/ports/sink.ts';
import { type KnownSplit, queryShards } from '#src/search/fan-out.ts';
import { DocumentShards } from './document-shards.ts';
import type { IndexDeps } from './index-deps.ts';
import { publishDocument, publishDocuments, stageChunks } from './publish.ts';

/** Result of this isolate's last query, by index: a first guess that every answer is checked against. */
const KNOWN_SPLITS = new Map<string, KnownSplit>();
const MAX_SETTLED = 1_000;

function getKnownSplit(indexId: string): KnownSplit {
  const settled = KNOWN_SPLITS.get(indexId) ?? { split: {} };
  if (KNOWN_SPLITS.size >= MAX_SETTLED) KNOWN_SPLITS.clear();
  KNOWN_SPLITS.set(indexId, settled);
  return settled;
}

/**
 * Index in SearchShard objects. The managed sink consists of it, and external sinks use it beside their
 * stores.
 */
export interface ManagedIndex
  extends Pick<
      SinkStore,
      'publish' | 'publishMany' | 'describe' | 'remove' | 'listChunks' | 'chunk' | 'stats' | 'drop'
    >,
    Pick<Shard, 'samplePoints' | 'publishedPoints' | 'checkCopy'> {
  /**
   * Records documents in the table of the index, so that the next run finds work that was begun and never
   * finished.
   */
  registerDocuments(documentIds: string[]): Promise<void>;
  /**
   * Stages chunks of a version. Returns false if the version was replaced or removed, in which case the
   * chunks are left out.
   */
  stage(document: IndexedDocument, chunks: IndexedChunk[]): Promise<boolean>;
  query(query: Omit<ShardQuery, 'statistics' | 'split'>): Promise<ShardAnswer>;
  /** Returns the ids of matching documents in all shards, or null if there are more than `limit`. */
  documentsMatching(filters: Filters, limit: number): Promise<string[] | null>;
  /** Deletions that the store with the vectors still has to carry out. The first shard records them. */
  pendingRemovals: Pick<Shard, 'recordRemovals' | 'listPendingRemovals' | 'completeRemovals'>;
}

/** Creates an index that queries its SearchShard objects in parallel and merges their results exactly. */
export function createManagedIndex(deps: IndexDeps): ManagedIndex {
  const shards = new DocumentShards(deps);
  const readChunks: ManagedIndex['listChunks'] = (documentId, page) => readPage(shards, documentId, page);
  return {
    registerDocuments: (documentIds) => shards.assign(documentIds),
    stage: (document, chunks) => stageChunks(shards, document, chunks),
    publish: (document, chunks, chunkCount) => publishDocument(shards, document, chunks, chunkCount),
    publishMany: (documents) => publishDocuments(shards, documents),
    async describe(document) {
      const own = await shards.getShards(document.documentId);
      await Promise.all(own.map((each) => each.describe(document)));
    },
    async remove(documentIds, version) {
      // Shards that the directory does not name are included, because running work may be staging chunks
      // there.
      await Promise.all((await shards.listAll()).map((each) => each.remove(documentIds, version)));
    },
    query: (query) => queryShards(shards.listKnown(), query, getKnownSplit(deps.indexId)),
    async documentsMatching(filters, limit) {
      const found = await Promise.all(
        shards.listKnown().map((each) => each.documentsMatching(filters, limit)),
      );
      if (found.includes(null)) return null;
      const ids = new Set(found.flatMap((each) => each ?? []));
      return ids.size > limit ? null : [...ids];
    },
    pendingRemovals: shards.shard(0),
    listChunks: readChunks,
    async chunk(id) {
      const places = await Promise.all(shards.listKnown().map((each) => each.getChunkPlace(id)));
      const place = places.find((each) => each !== null);
      if (!place) return undefined;
      // The chunk is read through its document, which knows the version that queries see.
      const [found] = await readChunks(place.documentId, { from: place.position, limit: 1 });
      return found?.id === id ? found : undefined;
    },
    async samplePoints(limit, writtenBy) {
      const all = await shards.listAll();
      const share = Math.ceil(limit / all.length);
      const samples = await Promise.all(all.map((each) => each.samplePoints(share, writtenBy)));
      return samples.flat().slice(0, limit);
    },
    async publishedPoints(documentIds) {
      const found = await Promise.all(
        (await shards.listAll()).map((each) => each.publishedPoints(documentIds)),
      );
      return found.flat();
    },
    async checkCopy() {
      await Promise.all((await shards.listAll()).map((each) => each.checkCopy()));
    },
    async stats() {
      const each = await Promise.all((await shards.listAll()).map((one) => one.stats()));
      return {
        documents: each.reduce((sum, { documents }) => sum + documents, 0),
        chunks: each.reduce((sum, { chunks }) => sum + chunks, 0),
        bytes: each.reduce((sum, { bytes }) => sum + bytes, 0),
      };
    },
    async drop() {
      await Promise.all((await shards.listAll()).map((each) => each.drop()));
    },
  };
}

/** Reads chunks of a document by position, in the version that queries see, from all its shards. */
async function readPage(
  shards: DocumentShards,
  ...[documentId, page]: Parameters<ManagedIndex['listChunks']>
): Promise<StoredChunk[]> {
  const [firstShard, ...others] = await shards.getShards(documentId);
  if (firstShard === undefined) return [];
  if (others.length === 0) return firstShard.listChunks(documentId, page);
  const versions = await firstShard.listVersions(documentId);
  const seen = versions.find((each) => each.published)?.version;
  if (seen === undefined) return [];
  const parts: StoredChunk[] = [];
  for (const each of [firstShard, ...others]) {
    parts.push(...(await each.listChunks(documentId, page, seen)));
  }
  return parts.sort((a, b) => a.position - b.position).slice(0, page?.limit);
}
