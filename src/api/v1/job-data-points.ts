import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { buildPageSchema, pageQuery, timestamp } from '#src/api/operation/schemas.ts';
import { JOB_STATUSES } from '#src/db/schema/index.ts';
import { getJobPage } from '#src/services/jobs/jobs.ts';
import { JOB_KINDS, type Job } from '#src/services/jobs/kinds.ts';

/** Maximum age of listed jobs in hours: ten years. */
const MAX_HOURS = 24 * 366 * 10;
const HOUR_MS = 3_600_000;
const moment = z.iso.datetime({ offset: true }).nullish();

const jobDataPoint = z
  .object({
    id: z.string(),
    project_id: z.string(),
    status: z.enum(JOB_STATUSES),
    custom_tag: z.string().describe('Always empty, because jobs have no tags.'),
    error_message: z.string().nullish(),
    state_transitions: z
      .object({
        pending_at: timestamp.nullish(),
        running_at: timestamp.nullish(),
        throttled_at: timestamp.nullish().describe('Always null, because jobs are not throttled.'),
        completed_at: timestamp.nullish(),
        failed_at: timestamp.nullish(),
        cancelled_at: timestamp.nullish(),
      })
      .describe('Times at which the job entered its states. Null for states that it did not enter.'),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'JobDataPoint' });

function presentJobDataPoint(job: Job): z.input<typeof jobDataPoint> {
  const ended = job.finishedAt?.toISOString() ?? null;
  return {
    id: job.id,
    project_id: job.projectId,
    status: job.status,
    custom_tag: '',
    error_message: job.errorMessage,
    state_transitions: {
      pending_at: job.createdAt.toISOString(),
      running_at: job.startedAt?.toISOString() ?? null,
      throttled_at: null,
      completed_at: job.status === 'COMPLETED' ? ended : null,
      failed_at: job.status === 'FAILED' ? ended : null,
      cancelled_at: job.status === 'CANCELLED' ? ended : null,
    },
    created_at: job.createdAt.toISOString(),
    updated_at: job.updatedAt.toISOString(),
  };
}

export const jobDataPointOperations = [
  operation({
    method: 'get',
    path: '/api/v1/job-data-points',
    id: 'listJobDataPoints',
    needs: 'read',
    tag: 'Usage',
    summary: 'List the states of jobs',
    description:
      'Returns one page of the jobs of one kind, newest first, with the times at which they entered their states.',
    access: 'project',
    query: pageQuery.extend({
      page_size: z.number().int().min(1).max(100).nullish().describe('Maximum number of jobs per page.'),
      job_type: z.enum(JOB_KINDS).describe('Kind of the jobs.'),
      status: z.array(z.string().max(50)).max(20).nullish().describe('Only jobs in one of these states.'),
      hours: z.number().min(0).max(MAX_HOURS).nullish().describe('Only jobs of the last hours.'),
      created_at_on_or_after: moment.describe('Only jobs that were created at or after this time.'),
      created_at_on_or_before: moment.describe('Only jobs that were created at or before this time.'),
    }),
    response: { status: 200, json: buildPageSchema(jobDataPoint).meta({ id: 'JobDataPointPage' }) },
    async handle({ ctx, query: { job_type, status, hours, ...filter } }) {
      const created_after = typeof hours === 'number' ? new Date(Date.now() - hours * HOUR_MS) : null;
      const page = await getJobPage<Job>(ctx, job_type, { ...filter, statuses: status, created_after });
      return { ...page, items: page.items.map(presentJobDataPoint) };
    },
  }),
];
