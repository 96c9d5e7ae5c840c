import { and, eq, lte, sql } from 'drizzle-orm';
import type { Context } from '#src/context.ts';
import { indexedDocuments } from '#src/db/schema/index.ts';
import { transformConfig } from '#src/ingest/chunking/transform-config.ts';
import type { IngestJob } from '#src/ingest/index.ts';
import type { Metadata } from '#src/search/types.ts';
import { openSink, type Pipeline, type PipelineIndex } from '#src/services/indexes/indexes.ts';
import { queryEmbedder } from '#src/services/pipelines/embedding.ts';
import type { Claim } from '#src/work/sync-owner.ts';
import { embedsTitle } from './difference.ts';

export type Granted = Extract<Claim, { go: true }>;

/** What an item that goes into the index needs beside itself. */
export interface Work {
  ctx: Context;
  pipeline: Pipeline;
  index: PipelineIndex;
  /** The part of content fingerprints that the pipeline decides. */
  shape: string;
  claim: Granted;
  /** Called between steps; throws ClaimLost. */
  checkpoint(): Promise<void>;
}

export interface Fingerprints {
  content: string;
  metadata: string;
}

export async function jobFor(
  { ctx, pipeline, index, claim, checkpoint }: Work,
  documentId: string,
  title: string,
  metadata: Metadata,
): Promise<IngestJob> {
  return {
    documentId,
    version: claim.version,
    pipelineId: pipeline.id,
    title,
    metadata,
    transform: transformConfig.parse(pipeline.transformConfig),
    embedTitle: embedsTitle(pipeline),
    embedder: await queryEmbedder(ctx, pipeline, index),
    sink: openSink(ctx, index),
    bucket: ctx.bucket,
    checkpoint,
  };
}

/** The index's entry of a document, for joins. */
export const isEntryOf = (index: PipelineIndex, documentId: Parameters<typeof eq>[1]) =>
  and(eq(indexedDocuments.indexId, index.id), eq(indexedDocuments.documentId, documentId as string));

/** The statement that remembers what the index now holds of a document. */
export function rememberIndexed(
  { ctx, index }: Work,
  documentId: string,
  { content, metadata }: Fingerprints,
  facts: { version: number; chunkCount: number; pageCount: number | null },
) {
  const { version, chunkCount, pageCount } = facts;
  return (
    ctx.db
      .update(indexedDocuments)
      .set({ contentFingerprint: content, metadataFingerprint: metadata, version, chunkCount, pageCount })
      // A late attempt does not speak for a newer one.
      .where(and(isEntryOf(index, documentId), lte(indexedDocuments.version, version)))
  );
}

/** Leaves no row behind that says a document were in that was removed while it was being indexed. */
export async function leaveIfRemoved(work: Work, documentId: string): Promise<void> {
  const { meta } = await forgetIfRemoved(work, documentId);
  // Its shard may have been opened after the removal had listed the shards.
  if (meta.changes > 0) await openSink(work.ctx, work.index).remove([documentId], work.claim.version);
}

/**
 * The sink's tombstone already kept a document out that was deleted while it was being indexed; what
 * remains is not to leave a row behind that says it were in.
 */
export function forgetIfRemoved({ ctx, pipeline, index }: Work, documentId: string) {
  return ctx.db.delete(indexedDocuments).where(
    and(
      isEntryOf(index, documentId),
      sql`not exists (select 1 from pipeline_files where pipeline_id = ${pipeline.id} and file_id = ${documentId})`,
      sql`not exists (select 1 from pipeline_documents where pipeline_id = ${pipeline.id}
        and document_id = ${documentId})`,
    ),
  );
}
