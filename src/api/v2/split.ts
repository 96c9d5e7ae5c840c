import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { buildPageSchema } from '#src/api/operation/schemas.ts';
import { splitConfiguration } from '#src/classification/splitting/configuration.ts';
import { describeConfidence } from '#src/classification/splitting/segments.ts';
import type { SplitJob } from '#src/db/schema/index.ts';
import { cancelJob, deleteJob, getJob, getJobPage } from '#src/services/jobs/jobs.ts';
import { createSplitJob, newSplitJob } from '#src/services/jobs/splitting/split-jobs.ts';
import { attempt, getIdempotencyKey, jobListQuery, jobParams, jobTimes } from './jobs.schemas.ts';

const STATUSES = ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED'] as const;

const splitJobBody = z
  .object({
    id: z.string(),
    project_id: z.string(),
    user_id: z.string(),
    status: z.enum(STATUSES),
    configuration: splitConfiguration,
    configuration_id: z.string().nullish(),
    document_input_type: z.enum(['file_id', 'parse_job_id', 'url']),
    file_input: z.string(),
    parse_job_id: z.string().nullish(),
    error_message: z.string().nullish(),
    result: z
      .object({
        segments: z.array(
          z.object({
            category: z.string().describe('Name of the category, or `uncategorized`.'),
            confidence: z.number().min(0).max(1),
            confidence_category: z.enum(['high', 'medium', 'low']),
            pages: z.array(z.number().int()).describe('Page numbers, starting at 1.'),
          }),
        ),
      })
      .nullish(),
    ...jobTimes,
    attempt,
  })
  .meta({ id: 'SplitJob' });

type Body = z.input<typeof splitJobBody>;

/** Returns the result of a split job for API responses. Null if the job has not completed. */
export function presentSegments({ result }: SplitJob): Body['result'] {
  if (!result) return null;
  return {
    segments: result.segments.map((segment) => ({
      ...segment,
      confidence_category: describeConfidence(segment.confidence),
    })),
  };
}

function presentSplitJob(row: SplitJob): Body {
  return {
    id: row.id,
    project_id: row.projectId,
    user_id: row.userId,
    status: row.status,
    configuration: row.configuration as Body['configuration'],
    configuration_id: row.configurationId,
    document_input_type: row.documentInputType,
    file_input: row.fileInput,
    parse_job_id: row.parseJobId,
    error_message: row.errorMessage,
    result: presentSegments(row),
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    attempt: row.attempt,
  };
}

const params = jobParams('spl');
const tag = 'Split';

export const splitOperations = [
  operation({
    method: 'post',
    path: '/api/v2/split',
    id: 'createSplitJob',
    needs: 'write',
    isBulk: true,
    tag,
    summary: 'Create a split job',
    description:
      'Divides a file that contains several documents into segments of consecutive pages, by the categories ' +
      'that you describe. Returns the job at once; read it until its `status` is `COMPLETED`, or save a webhook.',
    access: 'project',
    body: { json: newSplitJob },
    response: { status: 200, json: splitJobBody },
    errors: [400, 402],
    handle: async ({ ctx, body, request }) =>
      presentSplitJob(await createSplitJob(ctx, body, getIdempotencyKey(request))),
  }),
  operation({
    method: 'get',
    path: '/api/v2/split',
    id: 'listSplitJobs',
    needs: 'read',
    tag,
    summary: 'List split jobs',
    description: 'Returns one page of the split jobs of the project, newest first.',
    access: 'project',
    query: jobListQuery.extend({ status: z.enum(STATUSES).nullish().describe('Only jobs in this state.') }),
    response: { status: 200, json: buildPageSchema(splitJobBody).meta({ id: 'SplitJobPage' }) },
    async handle({ ctx, query }) {
      const page = await getJobPage<SplitJob>(ctx, 'split', query);
      return { ...page, items: page.items.map(presentSplitJob) };
    },
  }),
  operation({
    method: 'get',
    path: '/api/v2/split/{job_id}',
    id: 'getSplitJob',
    needs: 'read',
    tag,
    summary: 'Read a split job',
    description: 'Returns the state of the job. A completed job has its segments in `result`.',
    access: 'resource',
    params,
    response: { status: 200, json: splitJobBody },
    handle: async ({ ctx, params }) => presentSplitJob(await getJob<SplitJob>(ctx, 'split', params.job_id)),
  }),
  operation({
    method: 'delete',
    path: '/api/v2/split/{job_id}',
    id: 'deleteSplitJob',
    needs: 'write',
    tag,
    summary: 'Delete a split job',
    description: 'Deletes the job and its result.',
    access: 'resource',
    params,
    response: { status: 200, json: z.object({}).meta({ id: 'Deleted' }) },
    async handle({ ctx, params }) {
      await deleteJob(ctx, 'split', params.job_id);
      return {};
    },
  }),
  operation({
    method: 'post',
    path: '/api/v2/split/{job_id}/cancel',
    id: 'cancelSplitJob',
    needs: 'write',
    tag,
    summary: 'Cancel a split job',
    description: 'Stops a job that has not ended yet. Answers 409 if the job has completed or failed.',
    access: 'resource',
    params,
    response: { status: 200, json: splitJobBody },
    handle: async ({ ctx, params }) =>
      presentSplitJob(await cancelJob<SplitJob>(ctx, 'split', params.job_id)),
  }),
];
