import type { Objects } from '../../../durable-objects/names.ts';
import { mergeAnswers, sumStatistics } from '../../search/merge.ts';
import type { Shard } from '../../search/types.ts';
import type { Sink } from './sink.ts';

/** Knows which shard holds which document; kept in D1 by src/services/indexes.ts. */
export interface ShardDirectory {
  /** The document's shard, assigning one to a new document: long vectors fill a shard sooner. */
  shardFor(documentId: string, dimension: number): Promise<number>;
  /** Shards of these documents; documents that are not in the index are left out. */
  shardsOf(documentIds: string[]): Promise<Map<string, number>>;
  count(): Promise<number>;
}

/** The index that Sluice brings: SearchShard objects, asked in parallel and merged exactly. */
export function managedSink(indexId: string, objects: Objects, directory: ShardDirectory): Sink {
  const shard = (number: number): Shard => objects.searchShard(indexId, number);
  const all = async () => Array.from({ length: await directory.count() }, (_, number) => shard(number));

  /** Undefined when the document is in no shard (any more): there is nothing to do for it. */
  const ofKnown = async <T>(documentId: string, work: (one: Shard) => Promise<T>): Promise<T | undefined> => {
    const number = (await directory.shardsOf([documentId])).get(documentId);
    return number === undefined ? undefined : work(shard(number));
  };

  return {
    kind: 'managed',
    batchSize: 256,
    async stage(document, chunks) {
      const dimension = chunks[0]?.vector.length ?? 0;
      await shard(await directory.shardFor(document.documentId, dimension)).stage(document, chunks);
    },
    async publish(documentId, version, chunkCount) {
      await ofKnown(documentId, (one) => one.publish(documentId, version, chunkCount));
    },
    async describe(document) {
      await ofKnown(document.documentId, (one) => one.describe(document));
    },
    async remove(documentIds, version) {
      // Also shards that the directory does not name: work in flight may be staging there right now.
      await Promise.all((await all()).map((each) => each.remove(documentIds, version)));
    },
    async query(query) {
      const shards = await all();
      if (shards.length === 1) return shards[0]!.query(query);
      // BM25 needs the figures of the whole index, else a result would depend on where its document lives.
      const text = query.text;
      const statistics =
        text === undefined
          ? undefined
          : sumStatistics(await Promise.all(shards.map((each) => each.statistics(text))));
      const answers = await Promise.all(shards.map((each) => each.query({ ...query, statistics })));
      return mergeAnswers(answers, query);
    },
    async chunksOf(documentId, page) {
      return (await ofKnown(documentId, (one) => one.chunksOf(documentId, page))) ?? [];
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
