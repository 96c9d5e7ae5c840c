import type { Context, TenantContext } from '#src/context/context.ts';
import type { Pipeline, PipelineIndex, TraceSettings } from '#src/db/schema/index.ts';
import { Conflict, NotFound } from '#src/lib/errors.ts';
import type { Embedder, SparseEmbedder } from '#src/ports/embedder.ts';
import type { StoredChunk } from '#src/ports/index-types.ts';
import type { LanguageUse } from '#src/ports/language-model.ts';
import { type Sink, SinkError } from '#src/ports/sink.ts';
import {
  mergeParameters,
  type PresetRetrievalParameters,
  presetRetrievalParameters,
  type RetrievalParameters,
} from '#src/retrieval-contract/parameters.ts';
import { getPipelineSink } from '#src/services/connections/index-sink.ts';
import { createIndexEmbedder, createOwnEmbedder } from '#src/services/indexes/embedding.ts';
import { openSink } from '#src/services/indexes/open-sink.ts';
import { createIndexSparseEmbedder } from '#src/services/indexes/sparse-model.ts';
import { getLanguageModel } from '#src/services/models/language.ts';
import { type ExcludedKeys, readExcludedKeys } from '#src/services/pipelines/documents/documents.ts';
import { isWithinScope } from '#src/services/tenancy/scope.ts';
import { readCatalog, readFirstEntries } from './catalog.ts';
import { applyChunkEdits, type ChunkEdits, type EditedChunks } from './edited-chunks.ts';
import { findTarget } from './find-target.ts';
import { type Retrieval, type RetrievalOptions, retrieve } from './index.ts';

interface OpenedIndex {
  sink: Sink;
  embedder: Embedder;
  sparse: SparseEmbedder | undefined;
}

const EMPTY: Retrieval = {
  chunks: [],
  latency: { total: 0 },
  notes: { sink: 'none: the pipeline has not been synced yet' },
};

/** A pipeline together with the index that answers its queries. */
export interface Target {
  pipeline: Pipeline;
  /**
   * Pipeline whose documents are searched. For a playground this is the managed pipeline, or undefined if the
   * caller cannot access that pipeline.
   */
  source: Pipeline | undefined;
  /** Index that answers queries of the pipeline. Undefined before the first sync. */
  index: PipelineIndex | undefined;
  /** Whether any document has metadata keys that are excluded from embeddings or models. */
  hasExclusions: boolean;
  /** Settings of single chunks, such as disabled chunks. */
  edits: ChunkEdits;
  /** Trace settings of the pipeline's project. Undefined if the project has none, so that nothing is recorded. */
  tracing?: TraceSettings | undefined;
}

/**
 * A pipeline with its index and the ids of its organizations, before the caller's access has been checked.
 */
export type FoundTarget =
  | (Target & { organizationId: string; sourceOrganizationId: string | null })
  | undefined;

/** Returns a target that the caller can access. Throws `NotFound` otherwise. */
export async function getTarget(
  ctx: TenantContext,
  pipelineId: string,
  found?: FoundTarget,
): Promise<Target> {
  const target = found ?? (await findTarget(ctx, pipelineId));
  const isAccessible =
    target && (await isWithinScope(ctx, { ...target, projectId: target.pipeline.projectId }));
  if (!isAccessible) throw new NotFound('Pipeline', pipelineId);
  const { pipeline, source, sourceOrganizationId } = target;
  if (!source || source === pipeline) return target;
  const place = { projectId: source.projectId, organizationId: sourceOrganizationId! };
  return (await isWithinScope(ctx, place)) ? target : { ...target, source: undefined };
}

/**
 * Returns the metadata keys that a target excludes from embeddings and models. A playground excludes its own
 * keys and those of its managed pipeline. `own` contains the keys that one document excludes in addition.
 * Indexing does not use this function, because a playground has no index of its own.
 */
export function getExcludedKeys(
  { pipeline, source }: Pick<Target, 'pipeline' | 'source'>,
  own?: ExcludedKeys,
): ExcludedKeys {
  const configs = [pipeline.metadataConfig, source?.metadataConfig];
  const merge = (lists: (string[] | undefined)[]) => [...new Set(lists.flatMap((keys) => keys ?? []))];
  return {
    embed: merge([...configs.map((config) => config?.excluded_embed_metadata_keys), own?.embed]),
    llm: merge([...configs.map((config) => config?.excluded_llm_metadata_keys), own?.llm]),
  };
}

/** Returns the metadata keys that individual documents exclude from embeddings and models. */
export async function findExcludedKeys(
  ctx: Context,
  { source, hasExclusions }: Target,
  chunks: StoredChunk[],
): Promise<Map<string, ExcludedKeys>> {
  return hasExclusions && source ? readExcludedKeys(ctx, source.id, chunks) : new Map();
}

/**
 * Returns the pipeline whose documents are searched. Throws `Conflict` if the managed pipeline of a
 * playground is not accessible.
 */
export function requireSource({ pipeline, source }: Target): Pipeline {
  if (source) return source;
  const { id, managedPipelineId } = pipeline;
  throw new Conflict(
    `Pipeline ${id} is a playground of pipeline ${managedPipelineId}, which does not exist or is not accessible.`,
  );
}

/** Works like `requireSource`, and also throws `Conflict` if the pipeline is being deleted. */
export function requireLiveSource(target: Target): Pipeline {
  const source = requireSource(target);
  for (const { id, status } of [target.pipeline, source]) {
    if (status === 'DELETING') throw new Conflict(`Pipeline ${id} is being deleted.`);
  }
  return source;
}

/**
 * Opens the index of a target. The index is undefined before the first sync. Throws `Conflict` if the
 * pipeline's state does not allow queries.
 */
export async function openTarget(
  ctx: Context,
  target: Target,
): Promise<{ source: Pipeline; opened: (OpenedIndex & EditedChunks) | undefined }> {
  const source = requireLiveSource(target);
  const opened = await openIndex(ctx, source, target.index);
  return { source, opened: opened && applyChunkEdits(opened, target.edits) };
}

/**
 * Retrieves from one target. `overrides` contains only the parameters that the request set, and the preset
 * supplies the others. Throws `Conflict` if the pipeline's state does not allow queries.
 */
export async function retrieveFrom(
  ctx: Context,
  target: Target,
  query: string,
  overrides: PresetRetrievalParameters,
  options?: RetrievalOptions,
): Promise<{ retrieval: Retrieval; parameters: RetrievalParameters }> {
  const { pipeline, index } = target;
  const { source, opened } = await openTarget(ctx, target);
  const preset = presetRetrievalParameters.parse(pipeline.presetRetrievalParameters);
  const parameters = mergeParameters(overrides, preset);
  if (!index || !opened) return { retrieval: EMPTY, parameters };
  const ports = {
    ...opened,
    reranker: ctx.models.reranking(),
    language: (use: LanguageUse) => getLanguageModel(ctx, pipeline.projectId, use),
    hiddenKeys: getExcludedKeys(target).llm,
    readDocumentHiddenKeys: (chunks: StoredChunk[]) => readHiddenKeys(ctx, target, chunks),
    catalog: () => readCatalog(ctx, source, index),
    firstEntries: (page: { after?: string; limit: number }) => readFirstEntries(ctx, source, index, page),
  };
  const retrieval = await retrieve(query, parameters, ports, options);
  return { retrieval, parameters };
}

export async function readHiddenKeys(
  ctx: Context,
  target: Target,
  chunks: StoredChunk[],
): Promise<Map<string, readonly string[]>> {
  const keys = await findExcludedKeys(ctx, target, chunks);
  return new Map([...keys].map(([documentId, { llm }]) => [documentId, llm]));
}

/**
 * Opens the index that answers a pipeline's queries. Returns `undefined` before the first sync. Throws
 * `Conflict` if queries fail until the pipeline's configuration changes, for example because its store cannot
 * be opened or its embedding model does not exist.
 */
async function openIndex(
  ctx: Context,
  pipeline: Pipeline,
  index: PipelineIndex | undefined,
): Promise<OpenedIndex | undefined> {
  if (!index) {
    await toConflict(pipeline, 'data sink', getPipelineSink(ctx, pipeline));
    await toConflict(pipeline, 'embedding_config', createOwnEmbedder(ctx, pipeline));
    return undefined;
  }
  return {
    sink: await toConflict(pipeline, 'data sink', openSink(ctx, index)),
    embedder: await toConflict(pipeline, 'embedding_config', createIndexEmbedder(ctx, pipeline, index)),
    sparse: createIndexSparseEmbedder(ctx, index),
  };
}

/** Turns a failure to open into a `Conflict` that describes the pipeline's state and how to fix it. */
async function toConflict<Opened>(
  pipeline: Pipeline,
  what: string,
  opening: Promise<Opened>,
): Promise<Opened> {
  try {
    return await opening;
  } catch (error) {
    const isState = error instanceof Conflict || (error instanceof SinkError && !error.retryable);
    if (!isState) throw error;
    const message = `Pipeline ${pipeline.id} cannot be queried: ${error.message} Choose another ${what} for the pipeline, then sync it.`;
    throw new Conflict(message);
  }
}
