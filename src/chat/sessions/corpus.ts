import { eq, type SQL } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import type { chatSessions, chatStreams } from '#src/db/schema/index.ts';
import { getRetriever } from '#src/retrieval/retrievers.ts';
import { getPipeline, getWritablePipeline } from '#src/services/pipelines/pipelines.ts';

/** Path parameters that name a pipeline or a retriever. */
export type CorpusParams = { pipeline_id: string } | { retriever_id: string };

/** Documents of a conversation: those of one pipeline, or of all pipelines of a retriever. */
export interface Corpus {
  kind: 'pipeline' | 'retriever';
  id: string;
  projectId: string;
  /** Metadata keys that must not be sent to a model. For a retriever each pipeline has its own. */
  excludedKeys: readonly string[];
}

export const getCorpus = (ctx: TenantContext, params: CorpusParams) => read(ctx, params, getPipeline);

/** Returns a corpus for writing. A pipeline that is being deleted is rejected. */
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

/** Returns the columns that identify a corpus. */
export const idsOf = ({ kind, id }: Corpus) => ({
  pipelineId: kind === 'pipeline' ? id : null,
  retrieverId: kind === 'retriever' ? id : null,
});

/** Selects rows of a corpus. */
export const asked = (table: typeof chatSessions | typeof chatStreams, { kind, id }: Corpus): SQL =>
  eq(kind === 'pipeline' ? table.pipelineId : table.retrieverId, id);
