import { eq, type SQL } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import type { chatSessions, chatStreams, Pipeline } from '#src/db/schema/index.ts';
import { BadRequest } from '#src/lib/errors.ts';
import { getExcludedKeys, getTarget, openTarget } from '#src/retrieval/retrieval.ts';
import { getRetriever } from '#src/retrieval/retrievers.ts';
import { getPipeline, getWritablePipeline } from '#src/services/pipelines/pipelines.ts';

export type CorpusParams = { pipeline_id: string } | { retriever_id: string };

/** Names a pipeline, a retriever, or several pipelines that are searched together, for answers without a chat session. */
export type SearchedParams = CorpusParams | { pipeline_ids: string[] };

/** Documents that a conversation is about: those of one or several pipelines, or of all pipelines of a retriever. */
export interface Corpus {
  kind: 'pipeline' | 'retriever' | 'pipelines';
  /** Id of the pipeline or retriever. Empty for several pipelines. */
  id: string;
  /** Ids of several pipelines. Absent for a single one and for a retriever. */
  pipelineIds?: string[];
  projectId: string;
}

/** A corpus that can be searched in its present state. */
export interface SearchableCorpus extends Corpus {
  /**
   * Metadata keys that must not be sent to a model. Empty for several pipelines, because each of them defines its
   * own keys.
   */
  excludedKeys: readonly string[];
}

export const getCorpus = (ctx: TenantContext, params: SearchedParams) => readCorpus(ctx, params, getPipeline);

/**
 * Returns the pipeline or retriever of a conversation that is about to be changed. Rejects if the pipeline is
 * being deleted.
 */
export const getWritableCorpus = (ctx: TenantContext, params: SearchedParams) =>
  readCorpus(ctx, params, getWritablePipeline);

async function readCorpus(
  ctx: TenantContext,
  params: SearchedParams,
  readPipeline: typeof getPipeline,
): Promise<Corpus> {
  if ('retriever_id' in params) {
    const { id, projectId } = await getRetriever(ctx, params.retriever_id);
    return { kind: 'retriever', id, projectId };
  }
  if ('pipeline_ids' in params) {
    const pipelines = await Promise.all(params.pipeline_ids.map((id) => readPipeline(ctx, id)));
    const [{ projectId }] = pipelines as [Pipeline, ...Pipeline[]];
    if (pipelines.some((each) => each.projectId !== projectId)) {
      throw new BadRequest('The pipelines of one search must belong to the same project.');
    }
    return { kind: 'pipelines', id: '', pipelineIds: pipelines.map(({ id }) => id), projectId };
  }
  const { id, projectId } = await readPipeline(ctx, params.pipeline_id);
  return { kind: 'pipeline', id, projectId };
}

/**
 * Checks that a corpus can be searched, and reads its excluded metadata keys. Throws `Conflict` if a named
 * pipeline cannot be searched in its present state.
 */
export async function openCorpus(ctx: TenantContext, corpus: Corpus): Promise<SearchableCorpus> {
  for (const id of corpus.pipelineIds ?? []) await openTarget(ctx, await getTarget(ctx, id));
  if (corpus.kind !== 'pipeline') return { ...corpus, excludedKeys: [] };
  const target = await getTarget(ctx, corpus.id);
  await openTarget(ctx, target);
  return { ...corpus, excludedKeys: getExcludedKeys(target).llm };
}

export const toCorpusColumns = ({ kind, id }: Corpus) => ({
  pipelineId: kind === 'pipeline' ? id : null,
  retrieverId: kind === 'retriever' ? id : null,
});

export const whereCorpus = (table: typeof chatSessions | typeof chatStreams, { kind, id }: Corpus): SQL =>
  eq(kind === 'pipeline' ? table.pipelineId : table.retrieverId, id);
