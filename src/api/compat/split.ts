import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { buildPageSchema, pathId } from '#src/api/operation/schemas.ts';
import { getIdempotencyKey, jobListQuery } from '#src/api/v2/jobs.schemas.ts';
import { presentSegments } from '#src/api/v2/split.ts';
import {
  type SplitConfiguration,
  splitCategories,
  splitConfiguration,
  splittingStrategy,
  UNCATEGORIZED_MODES,
} from '#src/classification/splitting/configuration.ts';
import type { JobStatus, SplitJob } from '#src/db/schema/index.ts';
import { getJob, getJobPage } from '#src/services/jobs/jobs.ts';
import { createSplitJob } from '#src/services/jobs/splitting/split-jobs.ts';

export const SPLIT_STATUSES = ['pending', 'processing', 'completed', 'failed', 'cancelled'] as const;
type SplitStatus = (typeof SPLIT_STATUSES)[number];

export const toSplitStatus = {
  PENDING: 'pending',
  RUNNING: 'processing',
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
} as const satisfies Record<JobStatus, SplitStatus>;

export const category = z.object({ name: z.string(), description: z.string().nullish() });
const documentInput = z.object({
  type: z.enum(['file_id']),
  value: z.string().min(1).max(200).describe('Id of a file.'),
});

/** Strategy in the words of all client releases. Older ones send a boolean. */
const strategy = splittingStrategy.extend({
  allow_uncategorized: z
    .union([z.enum(UNCATEGORIZED_MODES), z.boolean()])
    .nullish()
    .describe('Older clients send `true` for `include` and `false` for `forbid`.'),
});

const newJob = z
  .object({
    document_input: documentInput,
    configuration: splitConfiguration.extend({ splitting_strategy: strategy.nullish() }).nullish(),
    configuration_id: z.string().nullish(),
    categories: splitCategories
      .nullish()
      .describe('Categories of older clients, instead of `configuration`.'),
    splitting_strategy: strategy.nullish(),
  })
  .meta({ id: 'ClientSplitJobCreate' });

export const splitResult = z.object({
  segments: z.array(
    z.object({ category: z.string(), confidence_category: z.string(), pages: z.array(z.number().int()) }),
  ),
});

const jobBody = z
  .object({
    id: z.string(),
    project_id: z.string(),
    user_id: z.string(),
    status: z.enum(SPLIT_STATUSES),
    categories: z.array(category),
    document_input: documentInput.extend({ type: z.string() }),
    configuration_id: z.string().nullish(),
    error_message: z.string().nullish(),
    result: splitResult.nullish(),
    created_at: z.string().nullish(),
    updated_at: z.string().nullish(),
  })
  .meta({ id: 'ClientSplitJob' });

/** Returns the segments of a job without their numeric confidences. Null if the job has not completed. */
export function presentResult(row: SplitJob): z.input<typeof splitResult> | null {
  const segments = presentSegments(row)?.segments.map(({ confidence: _, ...segment }) => segment);
  return segments ? { segments } : null;
}

function presentJob(row: SplitJob): z.input<typeof jobBody> {
  const { categories } = row.configuration as SplitConfiguration;
  return {
    id: row.id,
    project_id: row.projectId,
    user_id: row.userId,
    status: toSplitStatus[row.status],
    categories,
    document_input: { type: row.documentInputType, value: row.fileInput },
    configuration_id: row.configurationId,
    error_message: row.errorMessage,
    result: presentResult(row),
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

/** Returns the configuration of a request. Newer clients send it as an object, older ones member by member. */
function toConfiguration(body: z.output<typeof newJob>): SplitConfiguration | null {
  const given =
    body.configuration ??
    (body.categories && { categories: body.categories, splitting_strategy: body.splitting_strategy });
  if (!given) return null;
  const allowed = given.splitting_strategy?.allow_uncategorized;
  return {
    ...given,
    splitting_strategy: {
      ...given.splitting_strategy,
      allow_uncategorized: typeof allowed === 'boolean' ? (allowed ? 'include' : 'forbid') : allowed,
    },
  };
}

export const toNeutralStatus = (status: SplitStatus | null | undefined) =>
  (Object.keys(toSplitStatus) as JobStatus[]).find((each) => toSplitStatus[each] === status);

const path = '/api/v1/beta/split/jobs';
const tag = 'Split';

export const clientSplitOperations = [
  operation({
    method: 'post',
    path,
    id: 'clientCreateSplitJob',
    needs: 'write',
    isBulk: true,
    tag,
    summary: 'Create a split job',
    description: 'Divides a file into segments of consecutive pages by categories. Returns the job at once.',
    access: 'project',
    body: { json: newJob },
    response: { status: 200, json: jobBody },
    errors: [400, 402],
    async handle({ ctx, body, request }) {
      const input = {
        file_input: body.document_input.value,
        configuration: toConfiguration(body),
        configuration_id: body.configuration_id,
      };
      return presentJob(await createSplitJob(ctx, input, getIdempotencyKey(request)));
    },
  }),
  operation({
    method: 'get',
    path,
    id: 'clientListSplitJobs',
    needs: 'read',
    tag,
    summary: 'List split jobs',
    description: 'Returns one page of the split jobs of the project, newest first.',
    access: 'project',
    query: jobListQuery
      .omit({ configuration_id: true })
      .extend({ status: z.enum(SPLIT_STATUSES).nullish().describe('Only jobs in this state.') }),
    response: { status: 200, json: buildPageSchema(jobBody).meta({ id: 'ClientSplitJobPage' }) },
    async handle({ ctx, query }) {
      const page = await getJobPage<SplitJob>(ctx, 'split', {
        ...query,
        status: toNeutralStatus(query.status),
      });
      return { ...page, items: page.items.map(presentJob) };
    },
  }),
  operation({
    method: 'get',
    path: `${path}/{split_job_id}`,
    id: 'clientGetSplitJob',
    needs: 'read',
    tag,
    summary: 'Read a split job',
    description: 'Returns the state of the job, and its segments once it has completed.',
    access: 'resource',
    params: z.object({ split_job_id: pathId('spl') }),
    response: { status: 200, json: jobBody },
    handle: async ({ ctx, params }) => presentJob(await getJob<SplitJob>(ctx, 'split', params.split_job_id)),
  }),
];
