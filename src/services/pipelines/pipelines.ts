import { and, desc, eq, inArray, sql } from 'drizzle-orm';
import type { Context, TenantContext } from '../../context.ts';
import { type pipelineDataSources, pipelines, projects } from '../../db/schema/index.ts';
import { Conflict, Invalid, NotFound } from '../../errors.ts';
import { newId } from '../../ids.ts';
import { transformConfig } from '../../ingest/chunking/transform-config.ts';
import { parsingConfigHash } from '../../ingest/parsing/configuration-hash.ts';
import { parseParameters } from '../../ingest/parsing/parameters.ts';
import { configHash } from '../../lib/hash.ts';
import { keyRingOf } from '../../lib/secrets.ts';
import { createDataSink, getDataSink } from '../data-sinks.ts';
import { embeddingHash, getEmbeddingModelConfig, sealEmbedding } from '../embedding-model-configs.ts';
import type { Pipeline } from '../indexes.ts';
import { withinOrganizations, withinScope } from '../scope.ts';
import { sealedPlaces } from '../sealed-places.ts';
import { keepMasked, openSecrets, sealSecrets } from '../secret-fields.ts';
import { embeddingPlace } from './embedding.ts';
import type { NewPipeline, PipelineChanges } from './input.ts';

export type PipelineDataSource = typeof pipelineDataSources.$inferSelect;

export const parsePlace = sealedPlaces.pipelineParsing;

export async function getPipeline(ctx: TenantContext, id: string): Promise<Pipeline> {
  const row = await ctx.db.query.pipelines.findFirst({
    where: and(eq(pipelines.id, id), withinScope(ctx, pipelines.projectId)),
  });
  if (!row) throw new NotFound('Pipeline', id);
  return row;
}

/** For writes: a pipeline that is being deleted takes none. */
export async function getWritablePipeline(ctx: TenantContext, id: string): Promise<Pipeline> {
  const pipeline = await getPipeline(ctx, id);
  if (pipeline.status === 'DELETING') throw new Conflict(`Pipeline ${id} is being deleted.`);
  return pipeline;
}

export interface PipelineSearch {
  project_name?: string | null;
  pipeline_name?: string | null;
  pipeline_type?: 'MANAGED' | 'PLAYGROUND' | null;
}

export function searchPipelines(ctx: TenantContext, search: PipelineSearch): Promise<Pipeline[]> {
  const ofNamedProject = search.project_name
    ? withinProjectNamed(ctx, search.project_name)
    : eq(pipelines.projectId, ctx.projectId);
  return ctx.db.query.pipelines.findMany({
    where: and(
      ofNamedProject,
      search.pipeline_name ? eq(pipelines.name, search.pipeline_name) : undefined,
      search.pipeline_type ? eq(pipelines.pipelineType, search.pipeline_type) : undefined,
    ),
    orderBy: [desc(pipelines.createdAt), desc(pipelines.id)],
  });
}

/** Of each organization that the caller reaches, the project of that name. */
function withinProjectNamed(ctx: TenantContext, name: string) {
  const named = ctx.db
    .select({ id: projects.id })
    .from(projects)
    .where(
      and(
        withinOrganizations(ctx, projects.organizationId),
        eq(projects.name, name),
        ctx.onlyProjectId ? eq(projects.id, ctx.onlyProjectId) : undefined,
      ),
    );
  return inArray(pipelines.projectId, named);
}

export async function createPipeline(ctx: TenantContext, input: NewPipeline): Promise<Pipeline> {
  if (await findByName(ctx, input.name)) {
    throw new Conflict(`A pipeline named ${input.name} exists already in this project.`);
  }
  const id = newId();
  const [row] = await ctx.db
    .insert(pipelines)
    .values({
      id,
      projectId: ctx.projectId,
      name: input.name,
      pipelineType: input.pipeline_type ?? 'MANAGED',
      managedPipelineId: input.managed_pipeline_id,
      ...(await configurationOf(ctx, id, input)),
    })
    .returning();
  return row!;
}

export async function upsertPipeline(ctx: TenantContext, input: NewPipeline): Promise<Pipeline> {
  const existing = await findByName(ctx, input.name);
  return existing ? updatePipeline(ctx, existing.id, input) : createPipeline(ctx, input);
}

function findByName(ctx: TenantContext, name: string): Promise<Pipeline | undefined> {
  return ctx.db.query.pipelines.findFirst({
    where: and(
      eq(pipelines.projectId, ctx.projectId),
      eq(pipelines.name, name),
      // As text, not as a parameter: only so it is recognized as the index's own condition.
      sql`${pipelines.status} <> 'DELETING'`,
    ),
  });
}

/** Members that are left out stay as they are. Takes effect on the index with the next sync. */
export async function updatePipeline(
  caller: TenantContext,
  id: string,
  changes: PipelineChanges & Pick<NewPipeline, 'pipeline_type'>,
): Promise<Pipeline> {
  const stored = await getWritablePipeline(caller, id);
  // Names and new sinks are those of its project, which need not be the caller's default one.
  const ctx = { ...caller, projectId: stored.projectId };
  if (changes.name && changes.name !== stored.name && (await findByName(ctx, changes.name))) {
    throw new Conflict(`A pipeline named ${changes.name} exists already in this project.`);
  }
  const [row] = await ctx.db
    .update(pipelines)
    .set({
      name: changes.name ?? stored.name,
      pipelineType: changes.pipeline_type ?? stored.pipelineType,
      managedPipelineId: changes.managed_pipeline_id ?? stored.managedPipelineId,
      ...(await configurationOf(ctx, id, changes, stored)),
    })
    .where(eq(pipelines.id, id))
    .returning();
  return row!;
}

/** The columns that hold configuration, and their hashes. */
async function configurationOf(ctx: TenantContext, id: string, input: PipelineChanges, stored?: Pipeline) {
  const embedding = await embeddingColumns(ctx, id, input, stored);
  const transform = transformConfig.parse(
    input.transform_config ?? stored?.transformConfig ?? { mode: 'auto' },
  );
  const parsing = await parseColumn(ctx, input, stored);
  return {
    ...embedding,
    dataSinkId: await sinkOf(ctx, input, stored),
    transformConfig: transform as Record<string, unknown>,
    parseParameters: await sealSecrets(parseParameters, parsing, ring(ctx), parsePlace(id)),
    presetRetrievalParameters: input.preset_retrieval_parameters ?? stored?.presetRetrievalParameters ?? {},
    sparseModelConfig: input.sparse_model_config ?? stored?.sparseModelConfig ?? { model_type: 'bm25' },
    metadataConfig: metadataOf(input, stored),
    parsingConfigHash: await parsingConfigHash(parsing),
    transformConfigHash: await configHash(transform),
  };
}

async function embeddingColumns(ctx: TenantContext, id: string, input: PipelineChanges, stored?: Pipeline) {
  if (input.embedding_config && input.embedding_model_config_id) {
    const message = 'give either embedding_config or embedding_model_config_id, not both';
    throw Invalid.field(['embedding_model_config_id'], message);
  }
  if (input.embedding_model_config_id) {
    const shared = await getEmbeddingModelConfig(ctx, input.embedding_model_config_id);
    const embeddingConfigHash = await embeddingHash(ctx, shared.embeddingConfig);
    // The reference decides; the pipeline's own column keeps no copy of another row's secrets.
    const embeddingConfig = { type: shared.embeddingConfig.type, component: {} };
    return { embeddingModelConfigId: shared.id, embeddingConfig, embeddingConfigHash };
  }
  if (!input.embedding_config && stored) {
    const { embeddingModelConfigId, embeddingConfig, embeddingConfigHash } = stored;
    return { embeddingModelConfigId, embeddingConfig, embeddingConfigHash };
  }
  const own = stored?.embeddingModelConfigId ? undefined : stored?.embeddingConfig;
  const embeddingConfig = await sealEmbedding(ctx, input.embedding_config ?? {}, embeddingPlace(id), own);
  return {
    embeddingModelConfigId: null,
    embeddingConfig,
    embeddingConfigHash: await embeddingHash(ctx, embeddingConfig),
  };
}

async function sinkOf(ctx: TenantContext, input: PipelineChanges, stored?: Pipeline): Promise<string | null> {
  if (input.data_sink_id) return (await getDataSink(ctx, input.data_sink_id)).id;
  if (input.data_sink) return (await createDataSink(ctx, input.data_sink)).id;
  return stored?.dataSinkId ?? null;
}

async function parseColumn(ctx: TenantContext, input: PipelineChanges, stored?: Pipeline) {
  const before = stored ? await openParameters(ctx, stored) : {};
  if (!input.parse_parameters) return before;
  const kept = keepMasked(parseParameters, input.parse_parameters, before, ['body', 'parse_parameters']);
  return Object.fromEntries(
    Object.entries(kept).filter(([, value]) => value !== null && value !== undefined),
  );
}

const ring = (ctx: Context) => keyRingOf(ctx.settings.ENCRYPTION_KEY, ctx.settings.ENCRYPTION_KEYS_PREVIOUS);

/** Parse parameters with their secrets open. */
export function openParameters(ctx: Context, pipeline: Pipeline): Promise<Record<string, unknown>> {
  return openSecrets(pipeline.parseParameters, ring(ctx), parsePlace(pipeline.id));
}

function metadataOf(input: PipelineChanges, stored?: Pipeline): Pipeline['metadataConfig'] {
  if (!input.metadata_config) return stored?.metadataConfig ?? null;
  const { excluded_embed_metadata_keys: embed, excluded_llm_metadata_keys: llm } = input.metadata_config;
  return {
    ...(embed && { excluded_embed_metadata_keys: embed }),
    ...(llm && { excluded_llm_metadata_keys: llm }),
  };
}
