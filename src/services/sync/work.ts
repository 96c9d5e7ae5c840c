import { and, eq } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { indexedDocuments, type Pipeline, type PipelineIndex } from '#src/db/schema/index.ts';
import { transformConfig } from '#src/ingest/chunking/transform-config.ts';
import type { IngestJob, PageQuota } from '#src/ingest/index.ts';
import { selectSearchedMetadata } from '#src/ingest/searched-metadata.ts';
import { parseInput } from '#src/lib/schema/zod-issues.ts';
import { configHash } from '#src/lib/secrets/hash.ts';
import { type ParseParameters, parseParameters } from '#src/parse/parameters/parameters.ts';
import type { Metadata } from '#src/ports/index-types.ts';
import { type OpenParser, openParser } from '#src/reading/service/open-parser.ts';
import { createIndexEmbedder } from '#src/services/indexes/embedding.ts';
import { openSink } from '#src/services/indexes/open-sink.ts';
import { createIndexSparseEmbedder } from '#src/services/indexes/sparse-model.ts';
import { openParameters } from '#src/services/pipelines/configuration.ts';
import type { Claim } from '#src/work/sync-owner.ts';
import { buildFingerprintParts, type FingerprintParts } from './difference.ts';

export type Granted = Extract<Claim, { go: true }>;

/** Resources that all items of a claim share. Each resource is opened once. */
export interface Work {
  ctx: Context;
  pipeline: Pipeline;
  index: PipelineIndex;
  /** Hashes of the pipeline's configuration, which are parts of the fingerprints of documents. */
  shape: FingerprintParts;
  claim: Pick<Granted, 'jobId' | 'version'>;
  /** Daily page quota of the project. Undefined if there is no limit. */
  quota: PageQuota | undefined;
  /**
   * Sends a heartbeat to the pipeline's Durable Object if one is due. Throws ClaimLost if the claim was lost.
   */
  checkpoint(): Promise<void>;
  tools(): Promise<Pick<IngestJob, 'embedder' | 'sparse' | 'sink' | 'transform'>>;
  /** Returns the parser and parameters for files of a project. */
  openParsing(projectId: string): Promise<{ parameters: ParseParameters; parser: OpenParser['parser'] }>;
}

export async function openWork(
  parts: Pick<Work, 'ctx' | 'pipeline' | 'index' | 'claim' | 'quota' | 'checkpoint'>,
): Promise<Work> {
  const { ctx, pipeline, index } = parts;
  const openTools = async () => ({
    embedder: await createIndexEmbedder(ctx, pipeline, index),
    sparse: createIndexSparseEmbedder(ctx, index),
    sink: await openSink(ctx, index),
    transform: transformConfig.parse(pipeline.transformConfig),
  });
  const parsing = async (projectId: string) => {
    const parameters = parseInput(parseParameters, await openParameters(ctx, pipeline), ['parse_parameters']);
    return { parameters, parser: (await openParser(ctx, projectId, parameters)).parser };
  };
  let opened: ReturnType<typeof openTools> | undefined;
  const openedParsing = new Map<string, ReturnType<typeof parsing>>();
  return {
    ...parts,
    shape: await buildFingerprintParts(pipeline),
    tools() {
      opened ??= openTools();
      return opened;
    },
    openParsing(projectId) {
      const known = openedParsing.get(projectId) ?? parsing(projectId);
      openedParsing.set(projectId, known);
      return known;
    },
  };
}

export interface DescribedDocument {
  documentId: string;
  title: string;
  /** Metadata key of the title. Excluding this key also excludes the title. */
  titleKey: string;
  /** True if vectors stay valid when only the title changes, such as when a file is renamed. */
  survivesRename: boolean;
  /** All metadata of the document, which is stored with its chunks. */
  metadata: Metadata;
  /** Part of the metadata that a client set. */
  clientMetadata: Metadata;
  /**
   * Metadata keys of the document that are excluded from embeddings, in addition to those of the pipeline.
   */
  excludedKeys: string[];
}

export async function buildIngestJob(
  { ctx, pipeline, claim, checkpoint, tools }: Work,
  { documentId, title, titleKey, survivesRename, metadata, clientMetadata, excludedKeys }: DescribedDocument,
): Promise<IngestJob> {
  const own = pipeline.metadataConfig?.excluded_embed_metadata_keys ?? [];
  const excluded = new Set([...own, ...excludedKeys]);
  const embedTitle = !excluded.has(titleKey);
  // The title's key is excluded, because the title is embedded separately from the metadata.
  const searched = selectSearchedMetadata(clientMetadata, new Set([...excluded, titleKey]));
  const embeddedTitle = survivesRename || title;
  return {
    documentId,
    version: claim.version,
    pipelineId: pipeline.id,
    title,
    metadata,
    searchedMetadata: searched,
    contextHash: await configHash([embedTitle && embeddedTitle, searched]),
    embedTitle,
    ...(await tools()),
    bucket: ctx.bucket,
    checkpoint,
  };
}

export const whereIndexEntry = (index: PipelineIndex, documentId: Parameters<typeof eq>[1]) =>
  and(eq(indexedDocuments.indexId, index.id), eq(indexedDocuments.documentId, documentId as string));

export type IndexEntry = typeof indexedDocuments.$inferSelect;

/**
 * Returns whether the index already has chunks of the current content, embedded with the current title and
 * metadata.
 */
export const isIndexed = (
  known: IndexEntry | null,
  fingerprints: { content: string },
  job: Pick<IngestJob, 'contextHash'>,
): known is IndexEntry =>
  known?.contentFingerprint === fingerprints.content && known.contextHash === job.contextHash;
