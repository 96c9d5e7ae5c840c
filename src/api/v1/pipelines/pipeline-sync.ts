import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { timestamp } from '#src/api/operation/schemas.ts';
import type { SyncRun } from '#src/db/schema/index.ts';
import { listSyncRuns } from '#src/services/pipelines/lists.ts';
import {
  cancelSync,
  getPipelineStatus,
  type IngestionState,
  startSync,
} from '#src/services/pipelines/sync.ts';
import { ingestionStatus, ingestionStatusBody, pipelineBody } from './pipelines.schemas.ts';
import { pipelineParams, presentPipeline } from './pipelines.ts';

export function presentStatus(state: IngestionState): z.input<typeof ingestionStatusBody> {
  return {
    status: state.status,
    job_id: state.jobId,
    deployment_date: state.startedAt?.toISOString() ?? null,
    effective_at: state.effectiveAt?.toISOString() ?? null,
    error: state.errors,
    ...(state.problems && state.problems.length > 0 && { problems: state.problems }),
    ...(state.details && { counts: state.details.counts, progress: state.details.progress }),
  };
}

export const syncRunBody = z
  .object({
    id: z.uuid(),
    pipeline_id: z.uuid(),
    status: ingestionStatus,
    reason: z.string().describe('Trigger of the sync: request, schedule, change or copy.'),
    counters: z.record(z.string(), z.number()).describe('Counters of each stage.'),
    error: ingestionStatusBody.shape.error,
    started_at: timestamp,
    finished_at: timestamp.nullish(),
  })
  .meta({ id: 'PipelineJob' });

export function presentRun(run: SyncRun): z.input<typeof syncRunBody> {
  return {
    id: run.id,
    pipeline_id: run.pipelineId,
    status: run.status,
    reason: run.reason,
    counters: run.counters,
    error: run.error,
    started_at: run.startedAt.toISOString(),
    finished_at: run.finishedAt?.toISOString() ?? null,
  };
}

const tag = 'Sync';

export const pipelineSyncOperations = [
  operation({
    method: 'post',
    path: '/api/v1/pipelines/{pipeline_id}/sync',
    id: 'syncPipeline',
    needs: 'write',
    tag,
    summary: 'Sync a pipeline',
    description:
      'Reads the data sources, and brings the index up to date with all files and documents. Only ' +
      'changes are parsed and embedded. A request during a sync makes sure that another sync follows.',
    deprecated: true,
    access: 'resource',
    params: pipelineParams,
    response: { status: 200, json: pipelineBody },
    handle: async ({ ctx, params }) => presentPipeline(ctx, await startSync(ctx, params.pipeline_id)),
  }),
  operation({
    method: 'post',
    path: '/api/v1/pipelines/{pipeline_id}/sync/cancel',
    id: 'cancelPipelineSync',
    needs: 'write',
    tag,
    summary: 'Cancel the running sync',
    description:
      'Stops the sync after the work that is in progress. Files that were not indexed yet wait for the ' +
      'next sync.',
    deprecated: true,
    access: 'resource',
    params: pipelineParams,
    response: { status: 200, json: pipelineBody },
    handle: async ({ ctx, params }) => presentPipeline(ctx, await cancelSync(ctx, params.pipeline_id)),
  }),
  operation({
    method: 'get',
    path: '/api/v1/pipelines/{pipeline_id}/status',
    id: 'getPipelineStatus',
    needs: 'read',
    tag,
    summary: 'Read the state of a pipeline',
    description:
      'Returns the state of the newest sync with its errors. With `full_details`, the answer also has ' +
      'the progress of the sync.',
    deprecated: true,
    access: 'resource',
    params: pipelineParams,
    query: z.object({
      full_details: z.boolean().nullish().describe('Adds the progress of the sync.'),
    }),
    response: { status: 200, json: ingestionStatusBody },
    handle: async ({ ctx, params, query }) =>
      presentStatus(await getPipelineStatus(ctx, params.pipeline_id, query.full_details ?? false)),
  }),
  operation({
    method: 'get',
    path: '/api/v1/pipelines/{pipeline_id}/jobs',
    id: 'listPipelineJobs',
    needs: 'read',
    tag,
    summary: 'List the syncs of a pipeline',
    description: 'Returns the syncs, newest first, with their states, times and counters.',
    access: 'resource',
    params: pipelineParams,
    query: z.object({
      limit: z.number().int().min(1).max(1000).nullish().describe('Maximum number of syncs. Default: 50.'),
      offset: z.number().int().min(0).nullish().describe('Number of syncs to skip.'),
    }),
    response: { status: 200, json: z.array(syncRunBody) },
    async handle({ ctx, params, query }) {
      const page = { limit: query.limit ?? 50, offset: query.offset ?? 0 };
      return (await listSyncRuns(ctx, params.pipeline_id, page)).map(presentRun);
    },
  }),
];
