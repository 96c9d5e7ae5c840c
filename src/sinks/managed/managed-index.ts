import type { Filters, IndexedChunk, IndexedDocument, StoredChunk } from '#src/ports/index-types.ts';
import type { Shard, ShardAnswer, ShardQuery } from '#src/ports/shard.ts';
import type { SinkStore } from '#src/ports/sink.ts';
import { queryShards, type Settled } from '#src/search/fan-out.ts';
import { DocumentShards } from './document-shards.ts';
import type { IndexDeps } from './index-deps.ts';
import { publishDocument, publishDocuments, stageChunks } from './publish.ts';

/** By index, what this isolate's last query found: a first guess that every answer is checked against. */
const SETTLED = new Map<string, Settled>();
const MOST_SETTLED = 1_000;

function settledIn(indexId: string): Settled {
  const settled = SETTLED.get(indexId) ?? { split: {} };
  if (SETTLED.size >= MOST_SETTLED) SETTLED.clear();
  SETTLED.set(indexId, settled);
  return settled;
}

/** An index in SearchShard objects: what the managed sink is, and what external sinks keep beside their stores. */
export interface ManagedIndex
  extends Pick<
      SinkStore,
      'publish' | 'publishMany' | 'describe' | 'remove' | 'chunksOf' | 'chunk' | 'stats' | 'drop'
    >,
    Pick<Shard, 'samplePoints' | 'publishedPoints' | 'checkCopy'> {
  /** Enters documents in the index's table: what is begun and never finished is found there by the next run. */
  enter(documentIds: string[]): Promise<void>;
  /** False: the version was overtaken or removed, and its chunks were left out. */
  stage(document: IndexedDocument, chunks: IndexedChunk[]): Promise<boolean>;
  query(query: Omit<ShardQuery, 'statistics' | 'split'>): Promise<ShardAnswer>;
  /** As that of a shard, for all of them. */
  documentsMatching(filters: Filters, limit: number): Promise<string[] | null>;
  /** What the store that holds the vectors is still to be rid of; kept by the first shard. */
  ledger: Pick<Shard, 'owe' | 'owed' | 'settle'>;
}

/** SearchShard objects, asked in parallel and merged exactly. */
export function managedIndex(deps: IndexDeps): ManagedIndex {
  const shards = new DocumentShards(deps);
  const readChunks: ManagedIndex['chunksOf'] = (documentId, page) => readPage(shards, documentId, page);
  return {
    enter: (documentIds) => shards.assign(documentIds),
    stage: (document, chunks) => stageChunks(shards, document, chunks),
    publish: (document, chunks, chunkCount) => publishDocument(shards, document, chunks, chunkCount),
    publishMany: (documents) => publishDocuments(shards, documents),
    async describe(document) {
      const own = await shards.shardsOf(document.documentId);
      await Promise.all(own.map((each) => each.describe(document)));
    },
    async remove(documentIds, version) {
      // Also in shards that the directory does not name: work in flight may be staging there right now.
      await Promise.all((await shards.all()).map((each) => each.remove(documentIds, version)));
    },
    query: (query) => queryShards(shards.known(), query, settledIn(deps.indexId)),
    async documentsMatching(filters, limit) {
      const found = await Promise.all(shards.known().map((each) => each.documentsMatching(filters, limit)));
      if (found.includes(null)) return null;
      const ids = new Set(found.flatMap((each) => each ?? []));
      return ids.size > limit ? null : [...ids];
    },
    ledger: shards.shard(0),
    chunksOf: readChunks,
    async chunk(id) {
      const places = await Promise.all(shards.known().map((each) => each.placeOf(id)));
      const place = places.find((each) => each !== null);
      if (!place) return undefined;
      // Read through its document, which knows the version that queries see.
      const [found] = await readChunks(place.documentId, { from: place.position, limit: 1 });
      return found?.id === id ? found : undefined;
    },
    async samplePoints(limit, writtenBy) {
      const all = await shards.all();
      const share = Math.ceil(limit / all.length);
      const samples = await Promise.all(all.map((each) => each.samplePoints(share, writtenBy)));
      return samples.flat().slice(0, limit);
    },
    async publishedPoints(documentIds) {
      const found = await Promise.all((await shards.all()).map((each) => each.publishedPoints(documentIds)));
      return found.flat();
    },
    async checkCopy() {
      await Promise.all((await shards.all()).map((each) => each.checkCopy()));
    },
    async stats() {
      const each = await Promise.all((await shards.all()).map((one) => one.stats()));
      return {
        documents: each.reduce((sum, { documents }) => sum + documents, 0),
        chunks: each.reduce((sum, { chunks }) => sum + chunks, 0),
        bytes: each.reduce((sum, { bytes }) => sum + bytes, 0),
      };
    },
    async drop() {
      await Promise.all((await shards.all()).map((each) => each.drop()));
    },
  };
}

/** Reads chunks of a document in the version that queries see, by position, from all shards that hold some. */
async function readPage(
  shards: DocumentShards,
  ...[documentId, page]: Parameters<ManagedIndex['chunksOf']>
): Promise<StoredChunk[]> {
  const [home, ...others] = await shards.shardsOf(documentId);
  if (home === undefined) return [];
  if (others.length === 0) return home.chunksOf(documentId, page);
  const versions = await home.versionsOf(documentId);
  const seen = versions.find((each) => each.published)?.version;
  if (seen === undefined) return [];
  const parts: StoredChunk[] = [];
  for (const each of [home, ...others]) {
    parts.push(...(await each.chunksOf(documentId, page, seen)));
  }
  return parts.sort((a, b) => a.position - b.position).slice(0, page?.limit);
}
