import type { IndexedChunk, IndexedDocument, StoredChunk } from '#src/ports/index-types.ts';
import type { Shard, ShardAnswer, ShardQuery } from '#src/ports/shard.ts';
import type { SinkStore } from '#src/ports/sink.ts';
import { type KnownSplit, queryShards } from '#src/search/fan-out.ts';
import { DocumentShards } from './document-shards.ts';
import type { IndexDeps } from './index-deps.ts';
import { publishDocument, publishDocuments, stageChunks } from './publish.ts';

/**
 * Result of this isolate's last query for each index. It serves as a first guess for the next query, which
 * checks it.
 */
const KNOWN_SPLITS = new Map<string, KnownSplit>();
const MAX_KNOWN_SPLITS = 1_000;

function getKnownSplit(indexId: string): KnownSplit {
  const known = KNOWN_SPLITS.get(indexId) ?? { split: {} };
  if (KNOWN_SPLITS.size >= MAX_KNOWN_SPLITS) KNOWN_SPLITS.clear();
  KNOWN_SPLITS.set(indexId, known);
  return known;
}

/**
 * Index that is stored in Durable Objects, the shards. The managed data sink consists of it, and external
 * data sinks use it beside their vector stores.
 */
export interface ManagedIndex
  extends Pick<
      SinkStore,
      'publish' | 'publishMany' | 'describe' | 'remove' | 'listChunks' | 'chunk' | 'stats' | 'drop'
    >,
    Pick<Shard, 'samplePoints' | 'publishedPoints' | 'checkCopy'> {
  /**
   * Records documents in the index's table, so that the next sync run finds work that was started and not
   * finished.
   */
  registerDocuments(documentIds: string[]): Promise<void>;
  /**
   * Stages chunks of a document version. Returns false, and stages nothing, if the version was replaced or
   * removed.
   */
  stage(document: IndexedDocument, chunks: IndexedChunk[]): Promise<boolean>;
  query(query: Omit<ShardQuery, 'statistics' | 'split'>): Promise<ShardAnswer>;
  /** Returns the ids of matching documents in all shards. Returns null if there are more than `limit`. */
  documentsMatching: Shard['documentsMatching'];
  /**
   * Deletions that an external vector store has not carried out yet. The first shard of the index stores
   * them.
   */
  pendingRemovals: Pick<Shard, 'recordRemovals' | 'listPendingRemovals' | 'completeRemovals'>;
}

/** Creates an index that queries its shards in parallel and merges their results exactly. */
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
      // Documents are removed from all shards, because running work may have staged chunks in a shard that is
      // not recorded for them.
      await Promise.all((await shards.listAll()).map((each) => each.remove(documentIds, version)));
    },
    query: (query) => queryShards(shards.listKnown(), query, getKnownSplit(deps.indexId)),
    async documentsMatching(filters, limit, chunkMetadata) {
      const found = await Promise.all(
        shards.listKnown().map((each) => each.documentsMatching(filters, limit, chunkMetadata)),
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
      // The chunk is read through its document, whose first shard knows the version that queries see.
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

/** Reads chunks of a document by position from all its shards, in the version that queries see. */
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
