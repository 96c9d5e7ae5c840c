import { z } from 'zod';
import { expandField, pickExpansions } from '#src/api/http/expand.ts';
import { addParsingWarnings } from '#src/api/http/warnings.ts';
import { operation } from '#src/api/operation/endpoint.ts';
import { resource } from '#src/api/operation/resource.ts';
import { idParams } from '#src/api/operation/schemas.ts';
import type { TenantContext } from '#src/context/context.ts';
import type { Pipeline } from '#src/db/schema/index.ts';
import { copyPipeline } from '#src/services/pipelines/copy.ts';
import { deletePipeline } from '#src/services/pipelines/delete.ts';
import { newPipeline, pipelineChanges, pipelineType } from '#src/services/pipelines/input.ts';
import { getOverviews, OVERVIEWS, type PipelineOverview } from '#src/services/pipelines/overview.ts';
import { type PipelineView, viewPipelines } from '#src/services/pipelines/pipeline-view.ts';
import {
  createPipeline,
  getPipeline,
  searchPipelines,
  updatePipeline,
  upsertPipeline,
} from '#src/services/pipelines/pipelines.ts';
import { countItems } from '#src/services/pipelines/sync.ts';
import { presentDataSink } from '../connections/data-sinks.ts';
import { presentEmbeddingModelConfig } from '../connections/embedding-model-configs.ts';
import { withEveryStatus } from './pipeline-files.schemas.ts';
import { pipelineBody } from './pipelines.schemas.ts';

type Body = z.input<typeof pipelineBody>;

export async function presentPipeline(ctx: TenantContext, row: Pipeline): Promise<Body> {
  return (await presentPipelines(ctx, [row]))[0]!;
}

/**
 * Converts a created or changed pipeline to a response, with warnings about the request's parse parameters.
 */
async function presentWritten(
  ctx: TenantContext,
  row: Pipeline,
  { parse_parameters: sent }: { parse_parameters?: object | null | undefined },
) {
  const body = await presentPipeline(ctx, row);
  return addParsingWarnings(body, ctx, row.projectId, 'parse_parameters', sent);
}

export async function presentPipelines(ctx: TenantContext, rows: readonly Pipeline[]): Promise<Body[]> {
  return (await viewPipelines(ctx, rows)).map((view) => presentView(ctx, view));
}

function presentView(ctx: TenantContext, { pipeline, dataSink, embeddingModelConfig }: PipelineView): Body {
  return {
    id: pipeline.id,
    name: pipeline.name,
    project_id: pipeline.projectId,
    embedding_config: pipeline.embeddingConfig as Body['embedding_config'],
    embedding_model_config_id: pipeline.embeddingModelConfigId,
    embedding_model_config: embeddingModelConfig && presentEmbeddingModelConfig(ctx, embeddingModelConfig),
    config_hash: {
      embedding_config_hash: pipeline.embeddingConfigHash,
      parsing_config_hash: pipeline.parsingConfigHash,
      transform_config_hash: pipeline.transformConfigHash,
    },
    data_sink: dataSink && presentDataSink(ctx, dataSink),
    parse_parameters: pipeline.parseParameters,
    managed_pipeline_id: pipeline.managedPipelineId,
    metadata_config: pipeline.metadataConfig,
    pipeline_type: pipeline.pipelineType,
    preset_retrieval_parameters: pipeline.presetRetrievalParameters,
    sparse_model_config: pipeline.sparseModelConfig as Body['sparse_model_config'],
    status: pipeline.status,
    transform_config: pipeline.transformConfig,
    created_at: pipeline.createdAt.toISOString(),
    updated_at: pipeline.updatedAt.toISOString(),
  };
}

const expandQuery = z.object({
  expand: expandField(
    OVERVIEWS,
    'Which further members a pipeline has: `status` its newest sync, `counts` its files per state.',
  ),
});

async function presentWithOverviews(
  ctx: TenantContext,
  rows: Pipeline[],
  expand: readonly string[] | null | undefined,
): Promise<Body[]> {
  const ids = rows.map(({ id }) => id);
  const [bodies, overviews] = await Promise.all([
    presentPipelines(ctx, rows),
    getOverviews(ctx, ids, pickExpansions(OVERVIEWS, expand)),
  ]);
  return bodies.map((body) => ({ ...body, ...presentOverview(overviews.get(body.id!)!) }));
}

export function presentOverview({ newest, counts }: PipelineOverview): Pick<Body, 'ingestion' | 'counts'> {
  const run = newest?.run;
  return {
    ...(newest && {
      ingestion: {
        status: run?.status ?? 'NOT_STARTED',
        newest_job: run
          ? {
              id: run.id,
              status: run.status,
              reason: run.reason,
              started_at: run.startedAt.toISOString(),
              finished_at: run.finishedAt?.toISOString() ?? null,
            }
          : null,
        ...(newest.view && { items: countItems(newest.view) }),
      },
    }),
    ...(counts && {
      counts: {
        files: withEveryStatus(counts.file).counts,
        documents: withEveryStatus(counts.text).counts,
      },
    }),
  };
}

export const pipelineParams = idParams('pipeline_id');
const tag = 'Pipelines';

const pipelines = resource({
  tag,
  collection: { name: 'pipelines', path: '/api/v1/pipelines', access: 'project' },
  item: {
    name: 'a pipeline',
    path: '/api/v1/pipelines/{pipeline_id}',
    params: pipelineParams,
    access: 'resource',
  },
  body: pipelineBody,
  present: (row: Pipeline, ctx) => presentPipeline(ctx, row),
});

export const pipelineOperations = [
  operation({
    method: 'get',
    path: '/api/v1/pipelines',
    id: 'searchPipelines',
    needs: 'retrieve',
    tag,
    summary: 'Search pipelines',
    description:
      'Returns the pipelines of the project, filtered by name, type or project name. `GET ' +
      '/api/v2/pipelines` returns the same in pages.',
    deprecated: true,
    access: 'project',
    query: z.object({
      project_name: z.string().nullish().describe('Only pipelines of the project with exactly this name.'),
      pipeline_name: z.string().nullish().describe('Exact match.'),
      pipeline_type: pipelineType.nullish().describe('Only pipelines of this type.'),
      ...expandQuery.shape,
    }),
    response: { status: 200, json: z.array(pipelineBody) },
    handle: async ({ ctx, query }) =>
      presentWithOverviews(ctx, await searchPipelines(ctx, query), query.expand),
  }),
  pipelines.create({
    id: 'createPipeline',
    needs: 'write',
    description:
      'Creates a pipeline with its embedding model, chunking and index. Files and documents that you ' +
      'add are indexed in the background, and its data sources are read.',
    deprecated: true,
    body: newPipeline,
    run: ({ ctx, body }) => createPipeline(ctx, body),
    present: (row, { ctx, body }) => presentWritten(ctx, row, body),
  }),
  pipelines.upsert({
    id: 'upsertPipeline',
    needs: 'write',
    description: 'Updates the pipeline of this name in the project, or creates it if there is none.',
    deprecated: true,
    body: newPipeline,
    run: ({ ctx, body }) => upsertPipeline(ctx, body),
    present: (row, { ctx, body }) => presentWritten(ctx, row, body),
  }),
  pipelines.get({
    id: 'getPipeline',
    needs: 'retrieve',
    description:
      'Returns the configuration of the pipeline. With `expand`, the answer also has an overview of ' +
      'its files and its newest sync.',
    deprecated: true,
    query: expandQuery,
    run: ({ ctx, params }) => getPipeline(ctx, params.pipeline_id),
    present: async (row, { ctx, query }) => (await presentWithOverviews(ctx, [row], query.expand))[0]!,
  }),
  pipelines.update({
    id: 'updatePipeline',
    needs: 'write',
    description:
      'Omitted members stay unchanged. `null` detaches a data sink, a managed pipeline, an embedding ' +
      'model config or a metadata config; for other members it means the same as omitting them. You ' +
      'can send back what reading the pipeline returned.',
    deprecated: true,
    body: pipelineChanges,
    run: ({ ctx, params, body }) => updatePipeline(ctx, params.pipeline_id, body),
    present: (row, { ctx, body }) => presentWritten(ctx, row, body),
  }),
  pipelines.delete({
    id: 'deletePipeline',
    needs: 'write',
    description:
      'Retrieval no longer finds anything of the pipeline. Its index, documents and memberships are ' +
      'deleted in the background; until then its status is `DELETING`. The files stay in the project.',
    deprecated: true,
    run: ({ ctx, params }) => deletePipeline(ctx, params.pipeline_id),
  }),
  operation({
    method: 'post',
    path: '/api/v1/pipelines/{pipeline_id}/force-delete',
    id: 'forceDeletePipeline',
    needs: 'write',
    tag,
    summary: 'Delete a pipeline at once',
    description:
      'Deletes the pipeline before the call answers, also while a sync runs and when its vector store ' +
      'cannot be reached.',
    access: 'resource',
    params: pipelineParams,
    response: { status: 204 },
    handle: ({ ctx, params }) => deletePipeline(ctx, params.pipeline_id, { force: true }),
  }),
  operation({
    method: 'post',
    path: '/api/v1/pipelines/{pipeline_id}/copy',
    id: 'copyPipeline',
    needs: 'write',
    tag,
    summary: 'Copy a pipeline',
    description:
      'Creates a pipeline with the same configuration, files and documents under a new name, and ' +
      'starts a sync that fills its index.',
    access: 'resource',
    params: pipelineParams,
    response: { status: 200, json: pipelineBody },
    handle: async ({ ctx, params }) => presentPipeline(ctx, await copyPipeline(ctx, params.pipeline_id)),
  }),
];
