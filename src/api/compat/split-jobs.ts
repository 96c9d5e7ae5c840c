import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { buildPageSchema, pathId } from '#src/api/operation/schemas.ts';
import { getIdempotencyKey, jobListQuery } from '#src/api/v2/jobs.schemas.ts';
import { type SplitConfiguration, splittingStrategy } from '#src/classification/splitting/configuration.ts';
import type { SplitJob } from '#src/db/schema/index.ts';
import { cancelJob, deleteJob, getJob, getJobPage } from '#src/services/jobs/jobs.ts';
import { createSplitJob, newSplitJob } from '#src/services/jobs/splitting/split-jobs.ts';
import {
  category,
  presentResult,
  SPLIT_STATUSES,
  splitResult,
  toNeutralStatus,
  toSplitStatus,
} from './split.ts';

const jobBody = z
  .object({
    id: z.string(),
    project_id: z.string(),
    user_id: z.string(),
    status: z.enum(SPLIT_STATUSES),
    categories: z.array(category),
    splitting_strategy: splittingStrategy,
    document_input_type: z.enum(['file_id', 'parse_job_id', 'url']),
    file_input: z.string(),
    configuration_id: z.string().nullish(),
    error_message: z.string().nullish(),
    result: splitResult.nullish(),
    created_at: z.string().nullish(),
    updated_at: z.string().nullish(),
  })
  .meta({ id: 'ClientSplitJobV1' });

function presentJob(row: SplitJob): z.input<typeof jobBody> {
  const { categories, splitting_strategy: strategy } = row.configuration as SplitConfiguration;
  return {
    id: row.id,
    project_id: row.projectId,
    user_id: row.userId,
    status: toSplitStatus[row.status],
    categories,
    splitting_strategy: strategy ?? {},
    document_input_type: row.documentInputType,
    file_input: row.fileInput,
    configuration_id: row.configurationId,
    error_message: row.errorMessage,
    result: presentResult(row),
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

const path = '/api/v1/split/jobs';
const one = `${path}/{split_job_id}` as const;
const params = z.object({ split_job_id: pathId('spl') });
const tag = 'Split';

/** Split jobs at the paths that newer releases of the clients call, beside those below `/beta`. */
export const clientSplitJobOperations = [
  operation({
    method: 'post',
    path,
    id: 'clientCreateSplitJobV1',
    needs: 'write',
    isBulk: true,
    tag,
    summary: 'Create a split job',
    description: 'Divides a file into segments of consecutive pages by categories. Returns the job at once.',
    access: 'project',
    body: {
      json: newSplitJob
        .extend({
          transaction_id: z
            .string()
            .max(200)
            .nullish()
            .describe('Idempotency key. A repeated request with the same key returns the first job.'),
        })
        .meta({ id: 'ClientSplitJobCreateV1' }),
    },
    response: { status: 200, json: jobBody },
    errors: [400, 402],
    async handle({ ctx, body: { transaction_id: key, ...input }, request }) {
      return presentJob(await createSplitJob(ctx, input, key || getIdempotencyKey(request)));
    },
  }),
  operation({
    method: 'get',
    path,
    id: 'clientListSplitJobsV1',
    needs: 'read',
    tag,
    summary: 'List split jobs',
    description: 'Returns one page of the split jobs of the project, newest first.',
    access: 'project',
    query: jobListQuery
      .omit({ configuration_id: true })
      .extend({ status: z.enum(SPLIT_STATUSES).nullish().describe('Only jobs in this state.') }),
    response: { status: 200, json: buildPageSchema(jobBody).meta({ id: 'ClientSplitJobPageV1' }) },
    async handle({ ctx, query }) {
      const status = toNeutralStatus(query.status);
      const page = await getJobPage<SplitJob>(ctx, 'split', { ...query, status });
      return { ...page, items: page.items.map(presentJob) };
    },
  }),
  operation({
    method: 'get',
    path: one,
    id: 'clientGetSplitJobV1',
    needs: 'read',
    tag,
    summary: 'Read a split job',
    description: 'Returns the state of the job, and its segments once it has completed.',
    access: 'resource',
    params,
    response: { status: 200, json: jobBody },
    handle: async ({ ctx, params }) => presentJob(await getJob<SplitJob>(ctx, 'split', params.split_job_id)),
  }),
  operation({
    method: 'delete',
    path: one,
    id: 'clientDeleteSplitJobV1',
    needs: 'write',
    tag,
    summary: 'Delete a split job',
    description: 'Deletes the job and its result.',
    access: 'resource',
    params,
    response: { status: 200, json: z.object({}).meta({ id: 'Deleted' }) },
    async handle({ ctx, params }) {
      await deleteJob(ctx, 'split', params.split_job_id);
      return {};
    },
  }),
  operation({
    method: 'post',
    path: `${one}/cancel`,
    id: 'clientCancelSplitJobV1',
    needs: 'write',
    tag,
    summary: 'Cancel a split job',
    description: 'Stops a job that has not ended yet. Answers 409 if the job has completed or failed.',
    access: 'resource',
    params,
    response: { status: 200, json: jobBody },
    handle: async ({ ctx, params }) =>
      presentJob(await cancelJob<SplitJob>(ctx, 'split', params.split_job_id)),
  }),
];
