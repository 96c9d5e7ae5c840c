import { DomainError } from '#src/lib/errors.ts';
import type { Filters, IndexedChunk, IndexedDocument, StoredChunk } from '#src/ports/index-types.ts';
import type { Shard, ShardAnswer, ShardQuery, Staged } from '#src/ports/shard.ts';
import type { SinkStore, WholeDocument } from '#src/ports/sink.ts';
import { queryShards, type Settled } from '#src/search/fan-out.ts';
import type { IndexDeps } from './index-deps.ts';
import type { Range } from './shard-directory.ts';

/** Shards with less than this share of their capacity in use take new documents again. */
const ROOMY = 0.5;

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
export function managedIndex({ indexId, objects, directory }: IndexDeps): ManagedIndex {
  const shard = (number: number): Shard => objects.searchShard(indexId, number);
  const known = () => Array.from({ length: directory.count }, (_, number) => shard(number));
  const all = async () => {
    await directory.refresh();
    return known();
  };
  /** Documents that this instance stages, and which shard their next chunks go to. */
  const ranges = new Map<string, Range>();
  const next = new Map<string, number>();

  const assign = async (documentIds: string[]): Promise<void> => {
    const unknown = documentIds.filter((documentId) => !ranges.has(documentId));
    if (unknown.length === 0) return;
    const found = await directory.assign(unknown);
    for (const [at, documentId] of unknown.entries()) ranges.set(documentId, found[at]!);
  };

  const assigned = async (documentId: string): Promise<Range> => {
    await assign([documentId]);
    return ranges.get(documentId)!;
  };

  /** None when the document is in no shard (any more): there is nothing to do for it. */
  const shardsOf = async (documentId: string): Promise<Shard[]> => {
    const range = ranges.get(documentId) ?? (await directory.rangeOf(documentId));
    if (range === undefined) return [];
    return Array.from({ length: range.last - range.first + 1 }, (_, i) => shard(range.first + i));
  };

  /** The shard is full: another one, or a new one, takes new documents from now on. */
  const openAnother = async (full: number): Promise<void> => {
    if (directory.open !== full) return;
    const stats = await Promise.all((await all()).map((each) => each.stats()));
    const roomy = stats.findIndex(
      ({ chunks, staged, capacity }, number) => number !== full && chunks + staged < ROOMY * capacity,
    );
    await directory.replaceOpen(full, roomy === -1 ? stats.length : roomy);
  };

  /** Into the shard that the document's chunks go to. */
  const place = async (
    document: IndexedDocument,
    chunks: IndexedChunk[],
    chunkCount?: number,
  ): Promise<Staged> => {
    const { documentId } = document;
    const { first } = await assigned(documentId);
    const number = next.get(documentId) ?? first;
    const staged = await shard(number).stage(document, chunks, chunkCount);
    if (staged.full) await openAnother(number);
    return staged;
  };

  const stage = async (document: IndexedDocument, chunks: IndexedChunk[]): Promise<boolean> => {
    const { documentId } = document;
    for (;;) {
      const { placed, current } = await place(document, chunks);
      if (placed) return current;
      const { first, last } = await assigned(documentId);
      const number = next.get(documentId) ?? first;
      // The first shard decides which version queries see, also where it has none of its chunks.
      if (number === first) await shard(first).stage(document, []);
      if (number === last) {
        await directory.extend(documentId, last + 1);
        ranges.set(documentId, { first, last: last + 1 });
      }
      next.set(documentId, number + 1);
    }
  };

  const publishStaged = async (
    { documentId, version }: IndexedDocument,
    chunkCount: number,
  ): Promise<boolean> => {
    const [home, ...others] = await shardsOf(documentId);
    if (home === undefined) return false;
    const held = await Promise.all(others.map((each) => chunksIn(each, documentId, version)));
    const elsewhere = held.reduce((sum, count) => sum + count, 0);
    // This step makes the version visible in all shards; what follows tidies up.
    const whole = elsewhere > 0 ? chunkCount : undefined;
    if (!(await home.publish(documentId, version, chunkCount - elsewhere, whole))) return false;
    await Promise.all(others.map((each, i) => each.publish(documentId, version, held[i]!, 0)));
    return true;
  };

  const publishedVersion = async (documentId: string): Promise<number | undefined> => {
    const [home] = await shardsOf(documentId);
    return (await home?.versionsOf(documentId))?.find((each) => each.published)?.version;
  };

  const chunksOf: ManagedIndex['chunksOf'] = async (documentId, page) => {
    const [home, ...others] = await shardsOf(documentId);
    if (home === undefined) return [];
    if (others.length === 0) return home.chunksOf(documentId, page);
    const seen = await publishedVersion(documentId);
    if (seen === undefined) return [];
    const parts: StoredChunk[] = [];
    for (const each of [home, ...others]) {
      parts.push(...(await each.chunksOf(documentId, page, seen)));
    }
    return parts.sort((a, b) => a.position - b.position).slice(0, page?.limit);
  };

  const publish: ManagedIndex['publish'] = async (document, chunks, chunkCount) => {
    const { first, last } = await assigned(document.documentId);
    if (first === last) {
      const { placed, current } = await place(document, chunks, chunkCount);
      if (placed) return current;
    }
    await stage(document, chunks);
    return publishStaged(document, chunkCount);
  };

  /** The documents that are to be in one shard, and those of them that it has no room for or refuses. */
  const publishInto = async (
    number: number,
    documents: WholeDocument[],
  ): Promise<(boolean | undefined)[]> => {
    const parts = documents.map((each) => ({ ...each, chunkCount: each.chunks.length }));
    const staged = await shard(number)
      .stageMany(parts)
      .catch((error: unknown): Staged[] => {
        if (error instanceof DomainError) return [];
        throw error;
      });
    if (staged.some(({ full }) => full)) await openAnother(number);
    return documents.map((_, at) => (staged[at]?.placed ? staged[at].current : undefined));
  };

  const publishMany: ManagedIndex['publishMany'] = async (documents) => {
    await assign(documents.map(({ document }) => document.documentId));
    const results: PromiseSettledResult<boolean>[] = [];
    const byShard = new Map<number | 'several', number[]>();
    for (const [at, { document }] of documents.entries()) {
      const { first, last } = ranges.get(document.documentId)!;
      const place = first === last ? first : 'several';
      byShard.set(place, [...(byShard.get(place) ?? []), at]);
    }
    const alone = byShard.get('several') ?? [];
    byShard.delete('several');
    for (const [number, places] of byShard) {
      const seen = await publishInto(
        number as number,
        places.map((at) => documents[at]!),
      );
      for (const [i, at] of places.entries()) {
        const isSeen = seen[i];
        if (isSeen === undefined) alone.push(at);
        else results[at] = { status: 'fulfilled', value: isSeen };
      }
    }
    for (const at of alone) {
      const { document, chunks } = documents[at]!;
      [results[at]] = (await Promise.allSettled([publish(document, chunks, chunks.length)])) as [
        PromiseSettledResult<boolean>,
      ];
    }
    return results;
  };

  return {
    enter: assign,
    stage,
    publish,
    publishMany,
    async describe(document) {
      await Promise.all((await shardsOf(document.documentId)).map((each) => each.describe(document)));
    },
    async remove(documentIds, version) {
      // Also shards that the directory does not name: work in flight may be staging there right now.
      await Promise.all((await all()).map((each) => each.remove(documentIds, version)));
    },
    query: (query) => queryShards(known(), query, settledIn(indexId)),
    async documentsMatching(filters, limit) {
      const found = await Promise.all(known().map((each) => each.documentsMatching(filters, limit)));
      if (found.includes(null)) return null;
      const ids = new Set(found.flatMap((each) => each ?? []));
      return ids.size > limit ? null : [...ids];
    },
    ledger: shard(0),
    chunksOf,
    async chunk(id) {
      const places = await Promise.all(known().map((each) => each.placeOf(id)));
      const place = places.find((each) => each !== null);
      if (!place) return undefined;
      // Read through its document, which knows the version that is seen.
      const [found] = await chunksOf(place.documentId, { from: place.position, limit: 1 });
      return found?.id === id ? found : undefined;
    },
    async samplePoints(limit, writtenBy) {
      const shards = await all();
      const share = Math.ceil(limit / shards.length);
      const samples = await Promise.all(shards.map((each) => each.samplePoints(share, writtenBy)));
      return samples.flat().slice(0, limit);
    },
    async publishedPoints(documentIds) {
      const found = await Promise.all((await all()).map((each) => each.publishedPoints(documentIds)));
      return found.flat();
    },
    async checkCopy() {
      await Promise.all((await all()).map((each) => each.checkCopy()));
    },
    async stats() {
      const each = await Promise.all((await all()).map((one) => one.stats()));
      return {
        documents: each.reduce((sum, { documents }) => sum + documents, 0),
        chunks: each.reduce((sum, { chunks }) => sum + chunks, 0),
        bytes: each.reduce((sum, { bytes }) => sum + bytes, 0),
      };
    },
    async drop() {
      await Promise.all((await all()).map((each) => each.drop()));
    },
  };
}

async function chunksIn(shard: Shard, documentId: string, version: number): Promise<number> {
  const versions = await shard.versionsOf(documentId);
  return versions.find((each) => each.version === version)?.chunks ?? 0;
}
