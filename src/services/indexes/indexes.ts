import { and, eq, getTableColumns, inArray, lt, sql } from 'drizzle-orm';
import type { Context } from '#src/context.ts';
import { indexedDocuments, pipelineIndexes, type pipelines } from '#src/db/schema/index.ts';
import { derivedId } from '#src/ids.ts';
import { configHash } from '#src/lib/hash.ts';
import { sealForIndex } from '#src/services/pipelines/embedding.ts';
import { managedSink } from '#src/sinks/managed/managed.ts';
import type { ShardDirectory } from '#src/sinks/managed/shard-directory.ts';
import { patientSink } from '#src/sinks/patient.ts';
import type { Sink } from '#src/sinks/sink.ts';

export type Pipeline = typeof pipelines.$inferSelect;
export type PipelineIndex = typeof pipelineIndexes.$inferSelect;

/** Documents come in by SQL's 100 parameters a statement. */
const IDS_PER_QUERY = 90;

function directoryOf(ctx: Context, index: PipelineIndex): ShardDirectory {
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
    // Written before anything is staged. No fingerprint: it is not indexed yet.
    async assign(documentId) {
      const [row] = await ctx.db
        .insert(indexedDocuments)
        .values({
          indexId: index.id,
          documentId,
          shard: openShard,
          lastShard: openShard,
          version: 0,
          chunkCount: 0,
          contentFingerprint: '',
          metadataFingerprint: '',
        })
        .onConflictDoUpdate({
          target: [indexedDocuments.indexId, indexedDocuments.documentId],
          set: { shard: indexedDocuments.shard },
        })
        .returning({ first: indexedDocuments.shard, last: indexedDocuments.lastShard });
      return row!;
    },
    async rangeOf(documentId) {
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
  };
}

export function openSink(ctx: Context, index: PipelineIndex): Sink {
  const sink = managedSink(index.id, ctx.objects, directoryOf(ctx, index));
  return patientSink(sink, ctx.settings.SILENCE_SECONDS);
}

/** What queries are answered from; nothing before the first sync. */
export function liveIndex(ctx: Context, pipelineId: string) {
  const isLive = eq(pipelineIndexes.state, 'live');
  return ctx.db
    .select()
    .from(pipelineIndexes)
    .where(and(eq(pipelineIndexes.pipelineId, pipelineId), isLive))
    .limit(1);
}

/** Indexes that documents may be in: the live one, and the one being built beside it. */
export function openIndexes(ctx: Context, pipelineId: string) {
  const isOpen = inArray(pipelineIndexes.state, ['live', 'building']);
  return ctx.db
    .select()
    .from(pipelineIndexes)
    .where(and(eq(pipelineIndexes.pipelineId, pipelineId), isOpen));
}

/** Raised when chunking, analysis or the built-in embedder change their results: everything is indexed anew. */
export const INGEST_REVISION = 2;

/** A retired index still answers the queries that were under way when it was replaced. */
const RETIRED_MS = 60_000;

/** What all chunks and vectors of an index have in common; when it changes, a new index is built. */
function spaceOf(pipeline: Pipeline): Promise<string> {
  return configHash({
    embedding: pipeline.embeddingConfigHash,
    sink: pipeline.dataSinkId,
    transform: pipeline.transformConfigHash,
    revision: INGEST_REVISION,
  });
}

/** Of a pipeline's open indexes the one that fits its configuration. Undefined: a run has to make one first. */
export async function fittingIndex(
  pipeline: Pipeline,
  open: PipelineIndex[],
): Promise<PipelineIndex | undefined> {
  const space = await spaceOf(pipeline);
  return open.find((index) => index.configHash === space);
}

/**
 * The index that a run writes to: the live one while it fits the configuration, else a new one beside it
 * (or at once as the live one when there is none: the first documents are searchable as they come in).
 * Only planning calls this, so that work in flight never opens an index of its own.
 */
export async function targetIndex(
  ctx: Context,
  pipeline: Pipeline,
  generation: number,
): Promise<PipelineIndex> {
  const space = await spaceOf(pipeline);
  const open = await openIndexes(ctx, pipeline.id);
  const fitting = await fittingIndex(pipeline, open);
  const stale = open.filter((index) => index.state === 'building' && index !== fitting);
  for (const index of stale) await retire(ctx, index);
  if (fitting) return fitting;
  const id = await derivedId('index', pipeline.id, space, generation);
  await ctx.db
    .insert(pipelineIndexes)
    .values({
      id,
      pipelineId: pipeline.id,
      configHash: space,
      embeddingConfig: await sealForIndex(ctx, pipeline, id),
      state: open.some((index) => index.state === 'live') ? 'building' : 'live',
    })
    .onConflictDoNothing();
  return (await ctx.db.query.pipelineIndexes.findFirst({ where: eq(pipelineIndexes.id, id) }))!;
}

/** One step for queries: before it they see the old index, after it the new one, whole. */
export async function promoteIndex(ctx: Context, index: PipelineIndex): Promise<void> {
  await ctx.db.batch([
    ctx.db
      .update(pipelineIndexes)
      .set({ state: 'retired' })
      .where(and(eq(pipelineIndexes.pipelineId, index.pipelineId), eq(pipelineIndexes.state, 'live'))),
    ctx.db.update(pipelineIndexes).set({ state: 'live' }).where(eq(pipelineIndexes.id, index.id)),
  ]);
}

/** Drops indexes that were replaced long enough ago; true when others still wait for that. */
export async function dropRetired(ctx: Context, pipelineId: string): Promise<boolean> {
  const retired = and(eq(pipelineIndexes.pipelineId, pipelineId), eq(pipelineIndexes.state, 'retired'));
  const old = await ctx.db.query.pipelineIndexes.findMany({
    where: and(retired, lt(pipelineIndexes.updatedAt, new Date(Date.now() - RETIRED_MS))),
  });
  for (const index of old) await retire(ctx, index);
  return (await ctx.db.$count(pipelineIndexes, retired)) > 0;
}

/** Empties an index and forgets it. */
async function retire(ctx: Context, index: PipelineIndex): Promise<void> {
  await openSink(ctx, index).drop();
  await ctx.db.delete(pipelineIndexes).where(eq(pipelineIndexes.id, index.id));
}

/**
 * Deletes documents for good: from the return on no query finds them. `forget` deletes their rows; they are out of
 * the indexes before, so that what fails can be asked for again, and once more after, with what was indexed in
 * between.
 */
export async function deleteFromIndexes<Result>(
  ctx: Context,
  pipelineIds: string[],
  documentIds: string[],
  forget: () => Promise<Result>,
): Promise<Result> {
  for (const pipelineId of pipelineIds) await removeFromIndexes(ctx, pipelineId, documentIds);
  const result = await forget();
  for (const pipelineId of pipelineIds) {
    await removeFromIndexes(ctx, pipelineId, documentIds).catch(async (error: unknown) => {
      // Nobody can ask for it again: the next run finds what is in the index and belongs to nothing.
      await ctx.objects.pipelineSync(pipelineId).start(pipelineId, { reason: 'change' });
      throw error;
    });
  }
  return result;
}

/** Takes documents out of every index of the pipeline. From the return on no query finds them. */
export async function removeFromIndexes(
  ctx: Context,
  pipelineId: string,
  documentIds: string[],
): Promise<void> {
  const all = await ctx.db.query.pipelineIndexes.findMany({
    where: eq(pipelineIndexes.pipelineId, pipelineId),
  });
  for (const index of all) await removeFromIndex(ctx, index, documentIds);
}

/**
 * Takes out chunks that were made of other bytes than these: they would quote a text that the document no
 * longer holds. Chunks of the same bytes stay, whatever the new configuration makes of them.
 */
export async function removeOutdated(
  ctx: Context,
  pipelineId: string,
  documentId: string,
  contentHash: string,
): Promise<void> {
  const indexes = await ctx.db
    .select({ index: getTableColumns(pipelineIndexes) })
    .from(indexedDocuments)
    .innerJoin(pipelineIndexes, eq(pipelineIndexes.id, indexedDocuments.indexId))
    .where(
      and(
        eq(pipelineIndexes.pipelineId, pipelineId),
        eq(indexedDocuments.documentId, documentId),
        sql`substr(${indexedDocuments.contentFingerprint}, 1, ${contentHash.length + 1}) <> ${`${contentHash}:`}`,
      ),
    );
  for (const { index } of indexes) await removeFromIndex(ctx, index, [documentId]);
}

async function removeFromIndex(ctx: Context, index: PipelineIndex, documentIds: string[]): Promise<void> {
  await openSink(ctx, index).remove(documentIds, Date.now());
  for (let from = 0; from < documentIds.length; from += IDS_PER_QUERY) {
    await ctx.db
      .delete(indexedDocuments)
      .where(
        and(
          eq(indexedDocuments.indexId, index.id),
          inArray(indexedDocuments.documentId, documentIds.slice(from, from + IDS_PER_QUERY)),
        ),
      );
  }
}
