import { and, eq } from 'drizzle-orm';
import type { Context } from '#src/context.ts';
import { indexedDocuments, type Pipeline, type PipelineIndex } from '#src/db/schema/index.ts';
import { transformConfig } from '#src/ingest/chunking/transform-config.ts';
import type { IngestJob } from '#src/ingest/index.ts';
import { searchedMetadata } from '#src/ingest/searched-metadata.ts';
import { configHash } from '#src/lib/hash.ts';
import type { Metadata } from '#src/search/types.ts';
import { embedderOf } from '#src/services/indexes/embedding.ts';
import { openSink } from '#src/services/indexes/open-sink.ts';
import type { Claim } from '#src/work/sync-owner.ts';
import type { Shape } from './difference.ts';

export type Granted = Extract<Claim, { go: true }>;

/** What an item that goes into the index needs beside itself. */
export interface Work {
  ctx: Context;
  pipeline: Pipeline;
  index: PipelineIndex;
  /** The parts of fingerprints that the pipeline decides. */
  shape: Shape;
  claim: Granted;
  /** Called between steps; throws ClaimLost. */
  checkpoint(): Promise<void>;
}

export interface DescribedDocument {
  documentId: string;
  title: string;
  /** The member of the metadata that the title is; who excludes it excludes the title. */
  titleKey: string;
  /** Vectors are not made anew for another title, as that of a renamed file. */
  outlivesTitle: boolean;
  /** What nodes show. */
  metadata: Metadata;
  /** What of it the client said itself. */
  given: Metadata;
  /** Keys that are not to be embedded, besides the pipeline's. */
  excludedKeys: string[];
}

export async function jobFor(
  { ctx, pipeline, index, claim, checkpoint }: Work,
  { documentId, title, titleKey, outlivesTitle, metadata, given, excludedKeys }: DescribedDocument,
): Promise<IngestJob> {
  const own = pipeline.metadataConfig?.excluded_embed_metadata_keys ?? [];
  const excluded = new Set([...own, ...excludedKeys]);
  const embedTitle = !excluded.has(titleKey);
  // The title is there already.
  const searched = searchedMetadata(given, new Set([...excluded, titleKey]));
  const embeddedTitle = outlivesTitle || title;
  return {
    documentId,
    version: claim.version,
    pipelineId: pipeline.id,
    title,
    metadata,
    searchedMetadata: searched,
    contextHash: await configHash([embedTitle && embeddedTitle, searched]),
    transform: transformConfig.parse(pipeline.transformConfig),
    embedTitle,
    embedder: await embedderOf(ctx, pipeline, index),
    sink: await openSink(ctx, index),
    bucket: ctx.bucket,
    checkpoint,
  };
}

/** The index's entry of a document, for joins. */
export const isEntryOf = (index: PipelineIndex, documentId: Parameters<typeof eq>[1]) =>
  and(eq(indexedDocuments.indexId, index.id), eq(indexedDocuments.documentId, documentId as string));

type IndexEntry = typeof indexedDocuments.$inferSelect;

/** Whether the index holds chunks of this content, and vectors of this title and metadata. */
export const isIndexed = (
  known: IndexEntry | null,
  fingerprints: { content: string },
  job: Pick<IngestJob, 'contextHash'>,
): known is IndexEntry =>
  known?.contentFingerprint === fingerprints.content && known.contextHash === job.contextHash;
