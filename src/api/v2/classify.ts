import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { buildPageSchema } from '#src/api/operation/schemas.ts';
import { classifyConfiguration } from '#src/classification/configuration.ts';
import type { ClassifyJob } from '#src/db/schema/index.ts';
import {
  createClassifyJob,
  findJobByTransaction,
  newClassifyJob,
} from '#src/services/jobs/classification/classify-jobs.ts';
import { cancelJob, getJob, getJobPage } from '#src/services/jobs/jobs.ts';
import { attempt, getIdempotencyKey, jobListQuery, jobParams, jobTimes } from './jobs.schemas.ts';

const STATUSES = ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED'] as const;

export const classifyJobBody = z
  .object({
    id: z.string(),
    project_id: z.string(),
    user_id: z.string(),
    status: z.enum(STATUSES),
    configuration: classifyConfiguration,
    configuration_id: z.string().nullish(),
    document_input_type: z.enum(['file_id', 'parse_job_id', 'url']),
    file_input: z.string(),
    parse_job_id: z.string().nullish(),
    transaction_id: z.string().nullish(),
    error_message: z.string().nullish(),
    result: z
      .object({
        type: z.string().nullable().describe('Null if no rule fits.'),
        confidence: z.number().min(0).max(1),
        reasoning: z.string(),
      })
      .nullish(),
    ...jobTimes,
    attempt,
  })
  .meta({ id: 'ClassifyJob' });

type Body = z.input<typeof classifyJobBody>;

export function presentClassifyJob(row: ClassifyJob): Body {
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
    transaction_id: row.transactionId,
    error_message: row.errorMessage,
    result: row.result,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    attempt: row.attempt,
  };
}

const params = jobParams('cls');
const tag = 'Classify';

export const classifyOperations = [
  operation({
    method: 'post',
    path: '/api/v2/classify',
    id: 'createClassifyJob',
    needs: 'write',
    isBulk: true,
    tag,
    summary: 'Create a classify job',
    description:
      'Decides which of your rules describes a file or a parse job best. Returns the job at once; read ' +
      'it until its `status` is `COMPLETED`, or save a webhook.',
    access: 'project',
    body: { json: newClassifyJob },
    response: { status: 200, json: classifyJobBody },
    errors: [400, 402],
    async answerDespiteInvalidBody(rawBody, ctx) {
      const { transaction_id: id } = (rawBody ?? {}) as { transaction_id?: unknown };
      const known = typeof id === 'string' && id ? await findJobByTransaction(await ctx(), id) : undefined;
      return known && presentClassifyJob(known);
    },
    handle: async ({ ctx, body, request }) =>
      presentClassifyJob(await createClassifyJob(ctx, body, getIdempotencyKey(request))),
  }),
  operation({
    method: 'get',
    path: '/api/v2/classify',
    id: 'listClassifyJobs',
    needs: 'read',
    tag,
    summary: 'List classify jobs',
    description: 'Returns one page of the classify jobs of the project, newest first.',
    access: 'project',
    query: jobListQuery.extend({ status: z.enum(STATUSES).nullish().describe('Only jobs in this state.') }),
    response: { status: 200, json: buildPageSchema(classifyJobBody).meta({ id: 'ClassifyJobPage' }) },
    async handle({ ctx, query }) {
      const page = await getJobPage<ClassifyJob>(ctx, 'classify', query);
      return { ...page, items: page.items.map(presentClassifyJob) };
    },
  }),
  operation({
    method: 'get',
    path: '/api/v2/classify/{job_id}',
    id: 'getClassifyJob',
    needs: 'read',
    tag,
    summary: 'Read a classify job',
    description:
      'Returns the state of the job. A completed job has the type, the confidence and the reasoning in ' +
      '`result`.',
    access: 'resource',
    params,
    response: { status: 200, json: classifyJobBody },
    handle: async ({ ctx, params }) =>
      presentClassifyJob(await getJob<ClassifyJob>(ctx, 'classify', params.job_id)),
  }),
  operation({
    method: 'post',
    path: '/api/v2/classify/{job_id}/cancel',
    id: 'cancelClassifyJob',
    needs: 'write',
    tag,
    summary: 'Cancel a classify job',
    description: 'Stops a job that has not ended yet. Answers 409 if the job has completed or failed.',
    access: 'resource',
    params,
    response: { status: 200, json: classifyJobBody },
    handle: async ({ ctx, params }) =>
      presentClassifyJob(await cancelJob<ClassifyJob>(ctx, 'classify', params.job_id)),
  }),
];
