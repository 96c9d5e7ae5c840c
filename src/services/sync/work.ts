import { and, eq } from 'drizzle-orm';
import type { Context } from '#src/context.ts';
import { indexedDocuments, type Pipeline, type PipelineIndex } from '#src/db/schema/index.ts';
import { transformConfig } from '#src/ingest/chunking/transform-config.ts';
import type { IngestJob } from '#src/ingest/index.ts';
import type { Metadata } from '#src/search/types.ts';
import { embedderOf } from '#src/services/indexes/embedding.ts';
import { openSink } from '#src/services/indexes/open-sink.ts';
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
    embedder: await embedderOf(ctx, pipeline, index),
    sink: await openSink(ctx, index),
    bucket: ctx.bucket,
    parser: ctx.parser,
    checkpoint,
  };
}

/** The index's entry of a document, for joins. */
export const isEntryOf = (index: PipelineIndex, documentId: Parameters<typeof eq>[1]) =>
  and(eq(indexedDocuments.indexId, index.id), eq(indexedDocuments.documentId, documentId as string));
