import { queryShards, type Settled } from '#src/search/fan-out.ts';
import type { Shard, Staged } from '#src/search/shard.ts';
import {
  FILTER_OPERATORS,
  type IndexedChunk,
  type IndexedDocument,
  type StoredChunk,
} from '#src/search/types.ts';
import { defineSink } from '#src/sinks/define.ts';
import type { SinkDeps, SinkStore } from '#src/sinks/sink.ts';
import type { Range, ShardDirectory } from './shard-directory.ts';

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

/** Finds a shard of an index by its number. */
interface Shards {
  searchShard(indexId: string, shard: number): Shard;
}

interface ManagedDeps extends SinkDeps {
  objects: Shards;
}

interface ManagedIndexDeps extends ManagedDeps {
  indexId: string;
  directory: ShardDirectory;
}

/** The index that a pipeline without a data sink writes to. It has nothing to set. */
export default defineSink({
  kind: 'managed',
  fields: {},
  location: () => [],
  capabilities: {
    sparse: 'native',
    filters: { operators: FILTER_OPERATORS, nesting: true },
    transactions: true,
    // Far below the platform's 32 MiB a call, and soon analysed.
    batch: { chunks: 256, bytes: 2_000_000 },
  },
  open: (_, { indexId, objects, directory }: ManagedIndexDeps) => managedSink(indexId, objects, directory),
  /** One object that no index uses answers for all. */
  async check(_, { objects }: ManagedDeps) {
    await objects.searchShard('check', 0).stats();
  },
});

/** SearchShard objects, asked in parallel and merged exactly. */
function managedSink(indexId: string, objects: Shards, directory: ShardDirectory): SinkStore {
  const shard = (number: number): Shard => objects.searchShard(indexId, number);
  const known = () => Array.from({ length: directory.count }, (_, number) => shard(number));
  const all = async () => {
    await directory.refresh();
    return known();
  };
  /** Documents that this instance stages, and which shard their next chunks go to. */
  const ranges = new Map<string, Range>();
  const next = new Map<string, number>();

  const assigned = async (documentId: string): Promise<Range> => {
    const range = ranges.get(documentId) ?? (await directory.assign(documentId));
    ranges.set(documentId, range);
    return range;
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

  const stage = async (document: IndexedDocument, chunks: IndexedChunk[]): Promise<void> => {
    const { documentId } = document;
    while (!(await place(document, chunks)).placed) {
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

  return {
    // The first vector that a shard stages decides its dimension.
    ensure: async () => {},
    stage,
    async publish(document, chunks, chunkCount) {
      const { first, last } = await assigned(document.documentId);
      if (first === last) {
        const { placed, current } = await place(document, chunks, chunkCount);
        if (placed) return current;
      }
      await stage(document, chunks);
      return publishStaged(document, chunkCount);
    },
    async describe(document) {
      await Promise.all((await shardsOf(document.documentId)).map((each) => each.describe(document)));
    },
    async remove(documentIds, version) {
      // Also shards that the directory does not name: work in flight may be staging there right now.
      await Promise.all((await all()).map((each) => each.remove(documentIds, version)));
    },
    query: (query) => queryShards(known(), query, settledIn(indexId)),
    async chunksOf(documentId, page) {
      const [home, ...others] = await shardsOf(documentId);
      if (home === undefined) return [];
      if (others.length === 0) return home.chunksOf(documentId, page);
      const seen = (await home.versionsOf(documentId)).find((each) => each.published);
      if (seen === undefined) return [];
      const parts: StoredChunk[] = [];
      for (const each of [home, ...others]) {
        parts.push(...(await each.chunksOf(documentId, page, seen.version)));
      }
      return parts.sort((a, b) => a.position - b.position).slice(0, page?.limit);
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
