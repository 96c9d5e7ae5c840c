import { eq, type SQL } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import type { chatSessions, chatStreams } from '#src/db/schema/index.ts';
import { getExcludedKeys, getTarget, openTarget } from '#src/retrieval/retrieval.ts';
import { getRetriever } from '#src/retrieval/retrievers.ts';
import { getPipeline, getWritablePipeline } from '#src/services/pipelines/pipelines.ts';

export type CorpusParams = { pipeline_id: string } | { retriever_id: string };

/** Documents that an answer without a session may be about. */
export type SearchedParams = CorpusParams | { pipeline_ids: string[] };

/** Documents that a conversation is about: those of one pipeline, or of all pipelines of a retriever. */
export interface Corpus {
  kind: 'pipeline' | 'retriever';
  id: string;
  projectId: string;
}

/** A corpus that can be searched in its present state. */
export interface SearchableCorpus extends Corpus {
  /**
   * Metadata keys that must not be sent to a model. Empty for a retriever, because each of its pipelines
   * defines its own keys.
   */
  excludedKeys: readonly string[];
}

/** Several pipelines of one project that are searched together, without a retriever. */
export interface JoinedCorpus {
  kind: 'pipelines';
  ids: string[];
  projectId: string;
  excludedKeys: readonly string[];
}

export const getCorpus = (ctx: TenantContext, params: CorpusParams) => readCorpus(ctx, params, getPipeline);

/**
 * Returns the pipeline or retriever of a conversation that is about to be changed. Rejects if the pipeline is
 * being deleted.
 */
export const getWritableCorpus = (ctx: TenantContext, params: CorpusParams) =>
  readCorpus(ctx, params, getWritablePipeline);

async function readCorpus(
  ctx: TenantContext,
  params: CorpusParams,
  readPipeline: typeof getPipeline,
): Promise<Corpus> {
  if ('retriever_id' in params) {
    const { id, projectId } = await getRetriever(ctx, params.retriever_id);
    return { kind: 'retriever', id, projectId };
  }
  const { id, projectId } = await readPipeline(ctx, params.pipeline_id);
  return { kind: 'pipeline', id, projectId };
}

/**
 * Checks that a corpus can be searched, and reads its excluded metadata keys. Throws `Conflict` if the
 * pipeline cannot be searched in its present state.
 */
export async function openCorpus(ctx: TenantContext, corpus: Corpus): Promise<SearchableCorpus> {
  if (corpus.kind === 'retriever') return { ...corpus, excludedKeys: [] };
  const target = await getTarget(ctx, corpus.id);
  await openTarget(ctx, target);
  return { ...corpus, excludedKeys: getExcludedKeys(target).llm };
}

/**
 * Returns the pipelines with these ids, which must belong to one project. Throws `Conflict` if one of them cannot be
 * searched in its present state.
 */
export async function openPipelines(ctx: TenantContext, ids: readonly string[]): Promise<JoinedCorpus> {
  const found = await Promise.all(ids.map((id) => getWritablePipeline(ctx, id)));
  for (const { id } of found) await openTarget(ctx, await getTarget(ctx, id));
  const { projectId } = found[0]!;
  return { kind: 'pipelines', ids: found.map(({ id }) => id), projectId, excludedKeys: [] };
}

export const toCorpusColumns = ({ kind, id }: Corpus) => ({
  pipelineId: kind === 'pipeline' ? id : null,
  retrieverId: kind === 'retriever' ? id : null,
});

export const whereCorpus = (table: typeof chatSessions | typeof chatStreams, { kind, id }: Corpus): SQL =>
  eq(kind === 'pipeline' ? table.pipelineId : table.retrieverId, id);
