import { and, eq, sql } from 'drizzle-orm';
import type { Context, TenantContext } from '../context.ts';
import { hasExcludedKeys, pipelineIndexes, pipelines } from '../db/schema/index.ts';
import { Conflict, NotFound } from '../errors.ts';
import { languageModel } from '../models/language-models.ts';
import { type Retrieval, retrieve } from '../retrieval/index.ts';
import {
  mergeParameters,
  type PresetRetrievalParameters,
  presetRetrievalParameters,
  type RetrievalParameters,
} from '../retrieval/parameters.ts';
import { openReranker } from '../retrieval/rerank/model-reranker.ts';
import type { StoredChunk } from '../search/types.ts';
import { catalogOf } from './catalog.ts';
import { openSink, type Pipeline, type PipelineIndex } from './indexes.ts';
import { type ExcludedKeys, excludedKeysOf } from './pipelines/documents.ts';
import { queryEmbedder } from './pipelines/embedding.ts';
import { withinScope } from './scope.ts';

const EMPTY: Retrieval = {
  chunks: [],
  latency: { total: 0 },
  notes: { sink: 'none: the pipeline was never synced' },
};

/** A pipeline, and what its queries are answered from. */
export interface Target {
  pipeline: Pipeline;
  /** Undefined before the first sync. */
  index: PipelineIndex | undefined;
  /** Whether some document keeps metadata of its own from embeddings or models. */
  someExclude: boolean;
}

/** In one round trip: all that a query waits for before it is asked. */
export async function getTarget(ctx: TenantContext, pipelineId: string): Promise<Target> {
  const [found] = await ctx.db
    .select({
      pipeline: pipelines,
      index: pipelineIndexes,
      someExclude: sql<number>`exists (select 1 from pipeline_documents
        where pipeline_id = ${pipelineId} and (${hasExcludedKeys}))`,
    })
    .from(pipelines)
    .leftJoin(
      pipelineIndexes,
      and(eq(pipelineIndexes.pipelineId, pipelines.id), eq(pipelineIndexes.state, 'live')),
    )
    .where(and(eq(pipelines.id, pipelineId), withinScope(ctx, pipelines.projectId)))
    .limit(1);
  if (!found) throw new NotFound('Pipeline', pipelineId);
  const { pipeline, index, someExclude } = found;
  return { pipeline, index: index ?? undefined, someExclude: someExclude === 1 };
}

/** The keys that documents themselves keep from embeddings and models. */
export async function excludedKeys(
  ctx: Context,
  { pipeline, someExclude }: Target,
  chunks: StoredChunk[],
): Promise<Map<string, ExcludedKeys>> {
  return someExclude ? excludedKeysOf(ctx, pipeline.id, chunks) : new Map();
}

/** `asked` holds only the members that the request really sent; the others come from the preset. */
export async function retrieveFrom(
  ctx: Context,
  target: Target,
  query: string,
  asked: PresetRetrievalParameters,
): Promise<{ retrieval: Retrieval; parameters: RetrievalParameters }> {
  const { pipeline, index } = target;
  if (pipeline.status === 'DELETING') throw new Conflict(`Pipeline ${pipeline.id} is being deleted.`);
  const preset = presetRetrievalParameters.parse(pipeline.presetRetrievalParameters);
  const parameters = mergeParameters(asked, preset);
  if (!index) return { retrieval: EMPTY, parameters };
  const retrieval = await retrieve(query, parameters, {
    sink: openSink(ctx, index),
    embedder: await queryEmbedder(ctx, pipeline, index),
    reranker: openReranker(ctx.settings, ctx.ai),
    model: languageModel(ctx.settings),
    hiddenKeys: pipeline.metadataConfig?.excluded_llm_metadata_keys ?? [],
    ownHiddenKeys: (chunks) => ownHiddenKeys(ctx, target, chunks),
    catalog: () => catalogOf(ctx, pipeline, index),
  });
  return { retrieval, parameters };
}

/** Of those the ones kept from models. */
export async function ownHiddenKeys(
  ctx: Context,
  target: Target,
  chunks: StoredChunk[],
): Promise<Map<string, readonly string[]>> {
  const keys = await excludedKeys(ctx, target, chunks);
  return new Map([...keys].map(([documentId, { llm }]) => [documentId, llm]));
}
