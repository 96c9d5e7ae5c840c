import { and, desc, eq, getTableColumns, inArray, lt, max, sql } from 'drizzle-orm';
import type { Context } from '../context.ts';
import { indexedDocuments, pipelineIndexes, type pipelines } from '../db/schema/index.ts';
import { derivedId } from '../ids.ts';
import { managedSink, type ShardDirectory } from '../ingest/sinks/managed.ts';
import { patientSink } from '../ingest/sinks/patient.ts';
import type { Sink } from '../ingest/sinks/sink.ts';
import { configHash } from '../lib/hash.ts';
import { capacityOf } from '../search/memory.ts';
import { sealForIndex } from './pipelines/embedding.ts';

export type Pipeline = typeof pipelines.$inferSelect;
export type PipelineIndex = typeof pipelineIndexes.$inferSelect;

/** A shard takes new documents until it is this full; the rest is room for documents that grow. */
const FULL = 0.75;

/** Documents come in by SQL's 100 parameters a statement. */
const IDS_PER_QUERY = 90;

function directoryOf(ctx: Context, indexId: string): ShardDirectory {
  const assigned = new Map<string, number>();
  const directory: ShardDirectory = {
    async shardFor(documentId, dimension) {
      let shard = assigned.get(documentId) ?? (await directory.shardsOf([documentId])).get(documentId);
      if (shard === undefined) {
        await assignShard(ctx, indexId, documentId, await openShard(ctx, indexId, dimension));
        shard = (await directory.shardsOf([documentId])).get(documentId) ?? 0;
      }
      assigned.set(documentId, shard);
      return shard;
    },
    async shardsOf(documentIds) {
      const found = new Map<string, number>();
      for (let from = 0; from < documentIds.length; from += IDS_PER_QUERY) {
        const rows = await ctx.db
          .select({ id: indexedDocuments.documentId, shard: indexedDocuments.shard })
          .from(indexedDocuments)
          .where(
            and(
              eq(indexedDocuments.indexId, indexId),
              inArray(indexedDocuments.documentId, documentIds.slice(from, from + IDS_PER_QUERY)),
            ),
          );
        for (const row of rows) found.set(row.id, row.shard);
      }
      return found;
    },
    async count() {
      const [row] = await ctx.db
        .select({ last: max(indexedDocuments.shard) })
        .from(indexedDocuments)
        .where(eq(indexedDocuments.indexId, indexId));
      return (row?.last ?? 0) + 1;
    },
  };
  return directory;
}

/** Written before anything is staged, so that a removal knows where to look. No fingerprint: not indexed yet. */
async function assignShard(ctx: Context, indexId: string, documentId: string, shard: number): Promise<void> {
  await ctx.db
    .insert(indexedDocuments)
    .values({
      indexId,
      documentId,
      shard,
      version: 0,
      chunkCount: 0,
      contentFingerprint: '',
      metadataFingerprint: '',
    })
    .onConflictDoNothing();
}

/** The newest shard, or the next one when that is full. */
async function openShard(ctx: Context, indexId: string, dimension: number): Promise<number> {
  const [newest] = await ctx.db
    .select({ shard: indexedDocuments.shard, chunks: sql<number>`sum(${indexedDocuments.chunkCount})` })
    .from(indexedDocuments)
    .where(eq(indexedDocuments.indexId, indexId))
    .groupBy(indexedDocuments.shard)
    .orderBy(desc(indexedDocuments.shard))
    .limit(1);
  if (!newest) return 0;
  return newest.chunks >= FULL * capacityOf(dimension) ? newest.shard + 1 : newest.shard;
}

export function openSink(ctx: Context, index: PipelineIndex): Sink {
  const sink = managedSink(index.id, ctx.objects, directoryOf(ctx, index.id));
  return patientSink(sink, ctx.settings.SILENCE_SECONDS);
}

/** What queries are answered from; undefined before the first sync. */
export function liveIndex(ctx: Context, pipelineId: string): Promise<PipelineIndex | undefined> {
  return ctx.db.query.pipelineIndexes.findFirst({
    where: and(eq(pipelineIndexes.pipelineId, pipelineId), eq(pipelineIndexes.state, 'live')),
  });
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
export const INGEST_REVISION = 1;

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
