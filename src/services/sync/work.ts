import { and, eq } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { indexedDocuments, type Pipeline, type PipelineIndex } from '#src/db/schema/index.ts';
import { transformConfig } from '#src/ingest/chunking/transform-config.ts';
import type { IngestJob, PageQuota } from '#src/ingest/index.ts';
import { searchedMetadata } from '#src/ingest/searched-metadata.ts';
import { parseInput } from '#src/lib/schema/zod-issues.ts';
import { configHash } from '#src/lib/secrets/hash.ts';
import { type ParseParameters, parseParameters } from '#src/parse/parameters/parameters.ts';
import type { Metadata } from '#src/ports/index-types.ts';
import { type OpenParser, openParser } from '#src/reading/service/open-parser.ts';
import { embedderOf } from '#src/services/indexes/embedding.ts';
import { openSink } from '#src/services/indexes/open-sink.ts';
import { openParameters } from '#src/services/pipelines/configuration.ts';
import type { Claim } from '#src/work/sync-owner.ts';
import { type Shape, shapeOf } from './difference.ts';

export type Granted = Extract<Claim, { go: true }>;

/** Shared resources for indexing the items of a claim. Each is opened once. */
export interface Work {
  ctx: Context;
  pipeline: Pipeline;
  index: PipelineIndex;
  /** Parts of fingerprints that follow from the pipeline's configuration. */
  shape: Shape;
  claim: Pick<Granted, 'jobId' | 'version'>;
  /** Remaining page quota of today; undefined if there is no limit. */
  quota: PageQuota | undefined;
  /** Called between steps. Throws ClaimLost. */
  checkpoint(): Promise<void>;
  tools(): Promise<Pick<IngestJob, 'embedder' | 'sink' | 'transform'>>;
  /** Returns how files of a project are parsed. */
  parsing(projectId: string): Promise<{ parameters: ParseParameters; parser: OpenParser['parser'] }>;
}

export async function openWork(
  parts: Pick<Work, 'ctx' | 'pipeline' | 'index' | 'claim' | 'quota' | 'checkpoint'>,
): Promise<Work> {
  const { ctx, pipeline, index } = parts;
  const tools = async () => ({
    embedder: await embedderOf(ctx, pipeline, index),
    sink: await openSink(ctx, index),
    transform: transformConfig.parse(pipeline.transformConfig),
  });
  const parsing = async (projectId: string) => {
    const parameters = parseInput(parseParameters, await openParameters(ctx, pipeline), ['parse_parameters']);
    return { parameters, parser: (await openParser(ctx, projectId, parameters)).parser };
  };
  let opened: ReturnType<typeof tools> | undefined;
  const openedParsing = new Map<string, ReturnType<typeof parsing>>();
  return {
    ...parts,
    shape: await shapeOf(pipeline),
    tools() {
      opened ??= tools();
      return opened;
    },
    parsing(projectId) {
      const known = openedParsing.get(projectId) ?? parsing(projectId);
      openedParsing.set(projectId, known);
      return known;
    },
  };
}

export interface DescribedDocument {
  documentId: string;
  title: string;
  /** Metadata member that holds the title. Excluding this key excludes the title. */
  titleKey: string;
  /** Whether vectors stay valid if only the title changes, for example when a file is renamed. */
  outlivesTitle: boolean;
  /** Metadata of the nodes. */
  metadata: Metadata;
  /** Metadata that the client set. */
  given: Metadata;
  /** Further keys that are excluded from embeddings, besides the pipeline's. */
  excludedKeys: string[];
}

export async function jobFor(
  { ctx, pipeline, claim, checkpoint, tools }: Work,
  { documentId, title, titleKey, outlivesTitle, metadata, given, excludedKeys }: DescribedDocument,
): Promise<IngestJob> {
  const own = pipeline.metadataConfig?.excluded_embed_metadata_keys ?? [];
  const excluded = new Set([...own, ...excludedKeys]);
  const embedTitle = !excluded.has(titleKey);
  // The title is embedded on its own, so its key is left out here.
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
    embedTitle,
    ...(await tools()),
    bucket: ctx.bucket,
    checkpoint,
  };
}

/** Join condition for the index entry of a document. */
export const isEntryOf = (index: PipelineIndex, documentId: Parameters<typeof eq>[1]) =>
  and(eq(indexedDocuments.indexId, index.id), eq(indexedDocuments.documentId, documentId as string));

export type IndexEntry = typeof indexedDocuments.$inferSelect;

/** Whether the index holds chunks of this content, and vectors of this title and metadata. */
export const isIndexed = (
  known: IndexEntry | null,
  fingerprints: { content: string },
  job: Pick<IngestJob, 'contextHash'>,
): known is IndexEntry =>
  known?.contentFingerprint === fingerprints.content && known.contextHash === job.contextHash;
