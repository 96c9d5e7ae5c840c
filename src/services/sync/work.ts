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

/** What items that go into the index need beside themselves; each part is opened once for all of a claim. */
export interface Work {
  ctx: Context;
  pipeline: Pipeline;
  index: PipelineIndex;
  /** The parts of fingerprints that the pipeline decides. */
  shape: Shape;
  claim: Pick<Granted, 'jobId' | 'version'>;
  /** Pages that the project may have indexed today; undefined: as many as there are. */
  quota: PageQuota | undefined;
  /** Called between steps; throws ClaimLost. */
  checkpoint(): Promise<void>;
  tools(): Promise<Pick<IngestJob, 'embedder' | 'sink' | 'transform'>>;
  /** How files of a project are parsed. */
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
  /** The member of the metadata that the title is; who excludes it excludes the title. */
  titleKey: string;
  /** Whether the vectors stay as they are when only the title changes, for example when a file is renamed. */
  outlivesTitle: boolean;
  /** What nodes show. */
  metadata: Metadata;
  /** What of it the client said itself. */
  given: Metadata;
  /** Keys that are not to be embedded, besides the pipeline's. */
  excludedKeys: string[];
}

export async function jobFor(
  { ctx, pipeline, claim, checkpoint, tools }: Work,
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
    embedTitle,
    ...(await tools()),
    bucket: ctx.bucket,
    checkpoint,
  };
}

/** The index's entry of a document, for joins. */
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
