import type { Context, TenantContext } from '#src/context/context.ts';
import type { Pipeline, PipelineIndex } from '#src/db/schema/index.ts';
import { Conflict, NotFound } from '#src/lib/errors.ts';
import type { Embedder } from '#src/ports/embedder.ts';
import type { StoredChunk } from '#src/ports/index-types.ts';
import { type Sink, SinkError } from '#src/ports/sink.ts';
import {
  mergeParameters,
  type PresetRetrievalParameters,
  presetRetrievalParameters,
  type RetrievalParameters,
} from '#src/retrieval-contract/parameters.ts';
import { sinkFor } from '#src/services/connections/index-sink.ts';
import { embedderOf, ownEmbedderOf } from '#src/services/indexes/embedding.ts';
import { openSink } from '#src/services/indexes/open-sink.ts';
import { languageFor } from '#src/services/models/language.ts';
import { type ExcludedKeys, excludedKeysOf } from '#src/services/pipelines/documents/documents.ts';
import { isWithinScope } from '#src/services/tenancy/scope.ts';
import { catalogOf } from './catalog.ts';
import { findTarget } from './find-target.ts';
import { type Retrieval, retrieve } from './index.ts';

interface OpenedIndex {
  sink: Sink;
  embedder: Embedder;
}

const EMPTY: Retrieval = {
  chunks: [],
  latency: { total: 0 },
  notes: { sink: 'none: the pipeline was never synced' },
};

/** A pipeline together with the index that answers its queries. */
export interface Target {
  pipeline: Pipeline;
  /**
   * Pipeline whose documents are searched. For a playground it is the managed pipeline, or undefined if the
   * caller cannot access that one.
   */
  source: Pipeline | undefined;
  /** Index of the pipeline. Undefined before the first sync. */
  index: PipelineIndex | undefined;
  /** Whether any document has metadata keys that are excluded from embeddings or models. */
  someExclude: boolean;
}

/** A target with its organizations, before the caller's access has been checked. */
export type FoundTarget =
  | (Target & { organizationId: string; sourceOrganizationId: string | null })
  | undefined;

/** Returns a target that the caller can access. Throws NotFound otherwise. */
export async function getTarget(
  ctx: TenantContext,
  pipelineId: string,
  found?: FoundTarget,
): Promise<Target> {
  const target = found ?? (await findTarget(ctx, pipelineId));
  const isSeen = target && (await isWithinScope(ctx, { ...target, projectId: target.pipeline.projectId }));
  if (!isSeen) throw new NotFound('Pipeline', pipelineId);
  const { pipeline, source, sourceOrganizationId } = target;
  if (!source || source === pipeline) return target;
  const place = { projectId: source.projectId, organizationId: sourceOrganizationId! };
  return (await isWithinScope(ctx, place)) ? target : { ...target, source: undefined };
}

/** Returns metadata keys that individual documents exclude from embeddings and models. */
export async function excludedKeys(
  ctx: Context,
  { source, someExclude }: Target,
  chunks: StoredChunk[],
): Promise<Map<string, ExcludedKeys>> {
  return someExclude && source ? excludedKeysOf(ctx, source.id, chunks) : new Map();
}

/**
 * Returns the pipeline whose documents are searched. Throws Conflict if a playground's managed pipeline is
 * not accessible.
 */
export function sourceOf({ pipeline, source }: Target): Pipeline {
  if (source) return source;
  const { id, managedPipelineId } = pipeline;
  throw new Conflict(`Pipeline ${id} is a playground of pipeline ${managedPipelineId}, which is not there.`);
}

/**
 * Opens the index of a target. The index is undefined before the first sync. Throws Conflict if the
 * pipeline's state does not allow queries.
 */
export async function openTarget(
  ctx: Context,
  target: Target,
): Promise<{ source: Pipeline; opened: OpenedIndex | undefined }> {
  const { pipeline, index } = target;
  const source = sourceOf(target);
  for (const { id, status } of [pipeline, source]) {
    if (status === 'DELETING') throw new Conflict(`Pipeline ${id} is being deleted.`);
  }
  return { source, opened: await openIndex(ctx, source, index) };
}

/**
 * Retrieves from one target. `asked` contains only the members that the request set; the preset supplies the
 * others. Throws Conflict if the pipeline's state does not allow queries.
 */
export async function retrieveFrom(
  ctx: Context,
  target: Target,
  query: string,
  asked: PresetRetrievalParameters,
): Promise<{ retrieval: Retrieval; parameters: RetrievalParameters }> {
  const { pipeline, index } = target;
  const { source, opened } = await openTarget(ctx, target);
  const preset = presetRetrievalParameters.parse(pipeline.presetRetrievalParameters);
  const parameters = mergeParameters(asked, preset);
  if (!index || !opened) return { retrieval: EMPTY, parameters };
  const retrieval = await retrieve(query, parameters, {
    ...opened,
    reranker: ctx.models.reranking(),
    language: (use) => languageFor(ctx, pipeline.projectId, use),
    hiddenKeys: pipeline.metadataConfig?.excluded_llm_metadata_keys ?? [],
    ownHiddenKeys: (chunks) => ownHiddenKeys(ctx, target, chunks),
    catalog: () => catalogOf(ctx, source, index),
  });
  return { retrieval, parameters };
}

/** Returns metadata keys that individual documents exclude from models. */
export async function ownHiddenKeys(
  ctx: Context,
  target: Target,
  chunks: StoredChunk[],
): Promise<Map<string, readonly string[]>> {
  const keys = await excludedKeys(ctx, target, chunks);
  return new Map([...keys].map(([documentId, { llm }]) => [documentId, llm]));
}

/**
 * Opens the index that answers a pipeline's queries; undefined before its first sync. Throws Conflict if
 * queries are impossible until the pipeline's configuration changes, for example because its store cannot be
 * opened or its embedding model does not exist.
 */
async function openIndex(
  ctx: Context,
  pipeline: Pipeline,
  index: PipelineIndex | undefined,
): Promise<OpenedIndex | undefined> {
  if (!index) {
    await asState(pipeline, 'data sink', sinkFor(ctx, pipeline));
    await asState(pipeline, 'embedding_config', ownEmbedderOf(ctx, pipeline));
    return undefined;
  }
  return {
    sink: await asState(pipeline, 'data sink', openSink(ctx, index)),
    embedder: await asState(pipeline, 'embedding_config', embedderOf(ctx, pipeline, index)),
  };
}

/** Turns a failure to open into a Conflict that describes the pipeline's state and how to fix it. */
async function asState<Opened>(pipeline: Pipeline, what: string, opening: Promise<Opened>): Promise<Opened> {
  try {
    return await opening;
  } catch (error) {
    const isState = error instanceof Conflict || (error instanceof SinkError && !error.retryable);
    if (!isState) throw error;
    const message = `Pipeline ${pipeline.id} cannot be asked: ${error.message} Give it another ${what}, then sync it.`;
    throw new Conflict(message);
  }
}
