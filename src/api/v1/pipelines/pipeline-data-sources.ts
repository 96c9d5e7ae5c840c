import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { idParams, timestamp } from '#src/api/operation/schemas.ts';
import type { Context } from '#src/context/context.ts';
import {
  addPipelineDataSources,
  dataSourceSyncRequest,
  getPipelineDataSource,
  listPipelineDataSources,
  newPipelineDataSource,
  type PipelineDataSource,
  pipelineDataSourceChanges,
  removePipelineDataSource,
  syncPipelineDataSource,
  updatePipelineDataSource,
} from '#src/services/pipelines/pipeline-data-sources.ts';
import { getPipeline } from '#src/services/pipelines/pipelines.ts';
import { getIngestionState } from '#src/services/pipelines/sync.ts';
import { dataSourceBody, presentDataSource } from '../connections/data-sources.ts';
import { presentStatus } from './pipeline-sync.ts';
import { ingestionStatusBody, pipelineBody } from './pipelines.schemas.ts';
import { pipelineParams, presentPipeline } from './pipelines.ts';

const pipelineDataSourceBody = dataSourceBody
  .extend({
    data_source_id: z.uuid(),
    pipeline_id: z.uuid(),
    last_synced_at: timestamp.describe(
      'Time at which a sync last read the data source completely. Before the first sync, the time at which it was added.',
    ),
    status: z.enum(['CANCELLED', 'ERROR', 'IN_PROGRESS', 'NOT_STARTED', 'SUCCESS']).nullish(),
    status_updated_at: timestamp.nullish(),
    sync_interval: z.number().nullish(),
    sync_schedule_set_by: z.string().nullish(),
  })
  .meta({ id: 'PipelineDataSource' });

type Body = z.input<typeof pipelineDataSourceBody>;

function present(ctx: Context, { membership, source }: PipelineDataSource): Body {
  return {
    ...presentDataSource(ctx, source),
    id: membership.id,
    data_source_id: source.id,
    pipeline_id: membership.pipelineId,
    // Clients require a time even before the first sync. The time of creation is used, because 1970 would
    // look like an old sync.
    last_synced_at: (membership.lastSyncedAt ?? membership.createdAt).toISOString(),
    status: membership.status as Body['status'],
    status_updated_at: membership.statusUpdatedAt?.toISOString() ?? null,
    sync_interval: membership.syncInterval,
    sync_schedule_set_by: membership.syncScheduleSetBy,
    created_at: membership.createdAt.toISOString(),
    updated_at: membership.updatedAt.toISOString(),
  };
}

const sourceParams = idParams('pipeline_id', 'data_source_id');
const path = '/api/v1/pipelines/{pipeline_id}/data-sources';
const one = `${path}/{data_source_id}`;
const tag = 'Pipeline data sources';

export const pipelineDataSourceOperations = [
  operation({
    method: 'get',
    path,
    id: 'listPipelineDataSources',
    needs: 'read',
    tag,
    summary: 'List the data sources of a pipeline',
    description:
      'Returns the data sources that the pipeline reads, each with its sync interval and its state.',
    deprecated: true,
    access: 'resource',
    params: pipelineParams,
    response: { status: 200, json: z.array(pipelineDataSourceBody) },
    handle: async ({ ctx, params }) =>
      (await listPipelineDataSources(ctx, params.pipeline_id)).map((row) => present(ctx, row)),
  }),
  operation({
    method: 'put',
    path,
    id: 'addPipelineDataSources',
    needs: 'write',
    tag,
    summary: 'Add data sources to a pipeline',
    description:
      'The pipeline reads the added data sources in the background. A data source that was added ' +
      'before keeps its state; a `sync_interval` in the request replaces its old one.',
    deprecated: true,
    access: 'resource',
    params: pipelineParams,
    body: { json: z.array(newPipelineDataSource).max(1000) },
    response: { status: 200, json: z.array(pipelineDataSourceBody) },
    handle: async ({ ctx, params, body }) =>
      (await addPipelineDataSources(ctx, params.pipeline_id, body)).map((row) => present(ctx, row)),
  }),
  operation({
    method: 'put',
    path: one,
    id: 'updatePipelineDataSource',
    needs: 'write',
    tag,
    summary: 'Change the sync interval of a data source',
    description:
      'Sets how often the pipeline reads the data source, in seconds. `null` ends the schedule; an ' +
      'omitted interval stays unchanged.',
    deprecated: true,
    access: 'resource',
    params: sourceParams,
    body: { json: pipelineDataSourceChanges },
    response: { status: 200, json: pipelineDataSourceBody },
    handle: async ({ ctx, params, body }) =>
      present(
        ctx,
        await updatePipelineDataSource(ctx, params.pipeline_id, params.data_source_id, body.sync_interval),
      ),
  }),
  operation({
    method: 'delete',
    path: one,
    id: 'removePipelineDataSource',
    needs: 'write',
    tag,
    summary: 'Remove a data source from a pipeline',
    description:
      'Also removes the files of the data source from this pipeline. Retrieval no longer ' +
      'finds them. The data source itself stays in the project.',
    access: 'resource',
    params: sourceParams,
    response: { status: 204 },
    handle: ({ ctx, params }) => removePipelineDataSource(ctx, params.pipeline_id, params.data_source_id),
  }),
  operation({
    method: 'get',
    path: `${one}/status`,
    id: 'getPipelineDataSourceStatus',
    needs: 'read',
    tag,
    summary: 'Read the state of a data source in a pipeline',
    description:
      'Says whether the data source has been read and its files are indexed, and lists the errors.',
    deprecated: true,
    access: 'resource',
    params: sourceParams,
    response: { status: 200, json: ingestionStatusBody },
    async handle({ ctx, params }) {
      const pipeline = await getPipeline(ctx, params.pipeline_id);
      const { membership } = await getPipelineDataSource(ctx, pipeline, params.data_source_id);
      return presentStatus(await getIngestionState(ctx, membership));
    },
  }),
  operation({
    method: 'post',
    path: `${one}/sync`,
    id: 'syncPipelineDataSource',
    needs: 'write',
    tag,
    summary: 'Sync a data source',
    description:
      'Reads the data source and brings the index up to date with it. With `pipeline_file_ids`, only ' +
      'these files are indexed, including files that failed before.',
    deprecated: true,
    access: 'resource',
    params: sourceParams,
    body: { json: dataSourceSyncRequest, optional: true },
    response: { status: 200, json: pipelineBody },
    async handle({ ctx, params, body }) {
      const fileIds = body?.pipeline_file_ids ?? null;
      const { pipeline_id: pipelineId, data_source_id: sourceId } = params;
      return presentPipeline(ctx, await syncPipelineDataSource(ctx, pipelineId, sourceId, fileIds));
    },
  }),
];
