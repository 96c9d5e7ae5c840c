import { and, eq } from 'drizzle-orm';
import type { Context, TenantContext } from '../context.ts';
import { pipelines } from '../db/schema/index.ts';
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
import { liveIndex, openSink, type Pipeline, type PipelineIndex } from './indexes.ts';
import { excludedKeysOf } from './pipelines/documents.ts';
import { queryEmbedder } from './pipelines/embedding.ts';
import { withinScope } from './scope.ts';

const EMPTY: Retrieval = {
  chunks: [],
  latency: { total: 0 },
  notes: { sink: 'none: the pipeline was never synced' },
};

/** A pipeline and the index that its queries are answered from; none before its first sync. */
export interface Target {
  pipeline: Pipeline;
  index: PipelineIndex | undefined;
}

/** In one round trip: what a query waits for before it is asked. */
export async function getTarget(ctx: TenantContext, pipelineId: string): Promise<Target> {
  const isAskedFor = and(eq(pipelines.id, pipelineId), withinScope(ctx, pipelines.projectId));
  const [[pipeline], [index]] = await ctx.db.batch([
    ctx.db.select().from(pipelines).where(isAskedFor),
    liveIndex(ctx, pipelineId),
  ]);
  if (!pipeline) throw new NotFound('Pipeline', pipelineId);
  return { pipeline, index };
}

/** `asked` holds only the members that the request really sent; the others come from the preset. */
export async function retrieveFrom(
  ctx: Context,
  { pipeline, index }: Target,
  query: string,
  asked: PresetRetrievalParameters,
): Promise<{ retrieval: Retrieval; parameters: RetrievalParameters }> {
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
    ownHiddenKeys: (chunks) => ownHiddenKeys(ctx, pipeline, chunks),
    catalog: () => catalogOf(ctx, pipeline, index),
  });
  return { retrieval, parameters };
}

/** What documents themselves keep from models. */
export async function ownHiddenKeys(
  ctx: Context,
  pipeline: Pipeline,
  chunks: StoredChunk[],
): Promise<Map<string, readonly string[]>> {
  const keys = await excludedKeysOf(ctx, pipeline.id, chunks);
  return new Map([...keys].map(([documentId, { llm }]) => [documentId, llm]));
}
