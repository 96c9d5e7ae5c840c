import { and, eq, sql } from 'drizzle-orm';
import type { Context, TenantContext } from '#src/context.ts';
import {
  hasExcludedKeys,
  type Pipeline,
  type PipelineIndex,
  pipelineIndexes,
  pipelines,
  projects,
} from '#src/db/schema/index.ts';
import { Conflict, NotFound } from '#src/errors.ts';
import { type Retrieval, retrieve } from '#src/retrieval/index.ts';
import {
  mergeParameters,
  type PresetRetrievalParameters,
  presetRetrievalParameters,
  type RetrievalParameters,
} from '#src/retrieval/parameters.ts';
import type { StoredChunk } from '#src/search/types.ts';
import { languageFor } from '#src/services/models/language.ts';
import { type ExcludedKeys, excludedKeysOf } from '#src/services/pipelines/documents.ts';
import { isWithinScope } from '#src/services/tenancy/scope.ts';
import { catalogOf } from './catalog.ts';
import { openIndex } from './open-index.ts';

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

/** A target and whose it is, before it is known who asks. */
export type FoundTarget = (Target & { organizationId: string }) | undefined;

/** In one round trip: all that a query waits for before it is asked. */
export async function findTarget(ctx: Context, pipelineId: string): Promise<FoundTarget> {
  const [found] = await ctx.db
    .select({
      pipeline: pipelines,
      index: pipelineIndexes,
      organizationId: projects.organizationId,
      someExclude: sql<number>`exists (select 1 from pipeline_members
        where pipeline_id = ${pipelineId} and (${hasExcludedKeys}))`,
    })
    .from(pipelines)
    .innerJoin(projects, eq(projects.id, pipelines.projectId))
    .leftJoin(
      pipelineIndexes,
      and(eq(pipelineIndexes.pipelineId, pipelines.id), eq(pipelineIndexes.state, 'live')),
    )
    .where(eq(pipelines.id, pipelineId))
    .limit(1);
  return found && { ...found, index: found.index ?? undefined, someExclude: found.someExclude === 1 };
}

/** A target that the caller may see; to others it is as if it were not there. */
export async function getTarget(
  ctx: TenantContext,
  pipelineId: string,
  found?: FoundTarget,
): Promise<Target> {
  const target = found ?? (await findTarget(ctx, pipelineId));
  const isSeen = target && (await isWithinScope(ctx, { ...target, projectId: target.pipeline.projectId }));
  if (!isSeen) throw new NotFound('Pipeline', pipelineId);
  return target;
}

/** The keys that documents themselves keep from embeddings and models. */
export async function excludedKeys(
  ctx: Context,
  { pipeline, someExclude }: Target,
  chunks: StoredChunk[],
): Promise<Map<string, ExcludedKeys>> {
  return someExclude ? excludedKeysOf(ctx, pipeline.id, chunks) : new Map();
}

/**
 * Throws Conflict when the pipeline is in no state to be asked. `asked` holds only the members that the request really sent; the others come
 * from the preset.
 */
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
  const opened = await openIndex(ctx, pipeline, index);
  if (!index || !opened) return { retrieval: EMPTY, parameters };
  const retrieval = await retrieve(query, parameters, {
    ...opened,
    reranker: ctx.models.reranking(),
    language: (use) => languageFor(ctx, pipeline.projectId, use),
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
