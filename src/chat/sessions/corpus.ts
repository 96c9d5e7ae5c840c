import { eq, type SQL } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import type { chatSessions, chatStreams } from '#src/db/schema/index.ts';
import { getRetriever } from '#src/retrieval/retrievers.ts';
import { getPipeline, getWritablePipeline } from '#src/services/pipelines/pipelines.ts';

/** As a request names what is to be asked. */
export type CorpusParams = { pipeline_id: string } | { retriever_id: string };

/** What a conversation is with: a pipeline, or the pipelines of a retriever as one. */
export interface Corpus {
  kind: 'pipeline' | 'retriever';
  id: string;
  projectId: string;
  /** Metadata that no model may see; a retriever's pipelines have their own. */
  excludedKeys: readonly string[];
}

export const getCorpus = (ctx: TenantContext, params: CorpusParams) => read(ctx, params, getPipeline);

/** For writes: a pipeline that is being deleted takes none. */
export const getWritableCorpus = (ctx: TenantContext, params: CorpusParams) =>
  read(ctx, params, getWritablePipeline);

async function read(
  ctx: TenantContext,
  params: CorpusParams,
  readPipeline: typeof getPipeline,
): Promise<Corpus> {
  if ('retriever_id' in params) {
    const { id, projectId } = await getRetriever(ctx, params.retriever_id);
    return { kind: 'retriever', id, projectId, excludedKeys: [] };
  }
  const { id, projectId, metadataConfig } = await readPipeline(ctx, params.pipeline_id);
  return { kind: 'pipeline', id, projectId, excludedKeys: metadataConfig?.excluded_llm_metadata_keys ?? [] };
}

/** The columns that name it. */
export const idsOf = ({ kind, id }: Corpus) => ({
  pipelineId: kind === 'pipeline' ? id : null,
  retrieverId: kind === 'retriever' ? id : null,
});

/** Rows about it. */
export const asked = (table: typeof chatSessions | typeof chatStreams, { kind, id }: Corpus): SQL =>
  eq(kind === 'pipeline' ? table.pipelineId : table.retrieverId, id);
