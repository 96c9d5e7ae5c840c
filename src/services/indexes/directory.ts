import { and, asc, desc, eq, gt, gte, type SQL, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { buildInsertSelects } from '#src/db/rows.ts';
import { indexedDocuments, type PipelineIndex, pipelineIndexes } from '#src/db/schema/index.ts';
import { pickTextBetween } from '#src/lib/text/text-between.ts';
import type { IndexedVersion, Range, ShardDirectory } from '#src/sinks/managed/shard-directory.ts';

/** Number of documents with the highest ids, and of random ones, in a sample. */
const SAMPLE = 200;
/** Number of places from which the random documents of a sample are read. */
const RUNS = 4;
/** Number of rows that are drawn to find these places. */
const DRAWN = 200;

/**
 * Creates the directory of an index in the database. It records which shards the index has, and which shards
 * contain each document.
 */
export function createDirectory(ctx: Context, index: PipelineIndex): ShardDirectory {
  let { shards, openShard } = index;
  const ofIndex = eq(pipelineIndexes.id, index.id);
  const ofDocument = (documentId: string) =>
    and(eq(indexedDocuments.indexId, index.id), eq(indexedDocuments.documentId, documentId));
  return {
    get count() {
      return shards;
    },
    get open() {
      return openShard;
    },
    async refresh() {
      const row = await ctx.db.query.pipelineIndexes.findFirst({ where: ofIndex });
      if (row) ({ shards, openShard } = row);
    },
    // The rows are written before any chunks. Their fingerprints are empty, because the documents are not
    // indexed yet.
    async assign(documentIds) {
      const rows = documentIds.map((documentId) => ({
        indexId: index.id,
        documentId,
        shard: openShard,
        lastShard: openShard,
        version: 0,
        chunkCount: 0,
        contentFingerprint: '',
        metadataFingerprint: '',
      }));
      const assigned = new Map<string, Range>();
      for (const page of buildInsertSelects(indexedDocuments, rows)) {
        const found = await ctx.db
          .insert(indexedDocuments)
          .select(page)
          .onConflictDoUpdate({
            target: [indexedDocuments.indexId, indexedDocuments.documentId],
            set: { shard: sql`indexed_documents.shard` },
          })
          .returning({
            id: indexedDocuments.documentId,
            first: indexedDocuments.shard,
            last: indexedDocuments.lastShard,
          });
        for (const { id, ...range } of found) assigned.set(id, range);
      }
      return documentIds.map((documentId) => assigned.get(documentId)!);
    },
    async findRange(documentId) {
      const row = await ctx.db.query.indexedDocuments.findFirst({ where: ofDocument(documentId) });
      return row && { first: row.shard, last: row.lastShard };
    },
    async extend(documentId, last) {
      await ctx.db.batch([
        ctx.db
          .update(pipelineIndexes)
          .set({ shards: sql`max(${pipelineIndexes.shards}, ${last + 1})` })
          .where(ofIndex),
        ctx.db.update(indexedDocuments).set({ lastShard: last }).where(ofDocument(documentId)),
      ]);
      shards = Math.max(shards, last + 1);
    },
    async replaceOpen(full, next) {
      await ctx.db
        .update(pipelineIndexes)
        .set({ openShard: next, shards: sql`max(${pipelineIndexes.shards}, ${next + 1})` })
        .where(and(ofIndex, eq(pipelineIndexes.openShard, full)));
      await this.refresh();
    },
    sampleIndexed: () => sampleIndexed(ctx, index),
  };
}

/**
 * Returns the documents with the highest ids, and runs of documents after random ones. All of them are found by keys, so
 * that the time does not depend on the size of the index.
 */
async function sampleIndexed(ctx: Context, index: PipelineIndex): Promise<IndexedVersion[]> {
  const { documentId, version, chunkCount } = indexedDocuments;
  const select = (condition?: SQL) =>
    ctx.db
      .select({ documentId, version, chunks: chunkCount })
      .from(indexedDocuments)
      .where(and(eq(indexedDocuments.indexId, index.id), gt(chunkCount, 0), condition));
  const [highest, [first], drawn] = await Promise.all([
    select().orderBy(desc(documentId)).limit(SAMPLE),
    select().orderBy(asc(documentId)).limit(1),
    drawDocuments(ctx, index),
  ]);
  const last = highest.at(-1);
  if (!first || !last || highest.length < SAMPLE) return highest;
  // In a database with many indexes, it can happen that no drawn row belongs to this index.
  const starts = Array.from(
    { length: RUNS },
    (_, run) => drawn[run] ?? pickTextBetween(first.documentId, last.documentId),
  );
  const runs = await Promise.all(
    starts.map((start) =>
      select(gte(documentId, start))
        .orderBy(asc(documentId))
        .limit(SAMPLE / RUNS),
    ),
  );
  return [...new Map([...highest, ...runs.flat()].map((each) => [each.documentId, each])).values()];
}

/** Draws rows of the table, and returns the ids of up to `RUNS` documents among them that belong to the index. */
async function drawDocuments(ctx: Context, index: PipelineIndex): Promise<string[]> {
  const [range] = await ctx.db.all<{ low: number | null; high: number | null }>(
    sql`select (select min(rowid) from indexed_documents) as low, (select max(rowid) from indexed_documents) as high`,
  );
  const { low, high } = range!;
  if (low === null || high === null) return [];
  const drawn = Array.from({ length: DRAWN }, () => low + Math.floor(Math.random() * (high - low + 1)));
  const rows = await ctx.db.all<{ id: string }>(
    sql`select document_id as id from indexed_documents
      where rowid in (select value from json_each(${JSON.stringify(drawn)})) and index_id = ${index.id}
      order by random() limit ${RUNS}`,
  );
  return rows.map(({ id }) => id);
}
