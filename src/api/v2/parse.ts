import { z } from 'zod';
import { operation } from '#src/api/endpoint.ts';
import { pageOf } from '#src/api/schemas.ts';
import { warningOfParsing } from '#src/api/warnings.ts';
import type { ParseJob } from '#src/db/schema/index.ts';
import { PARSE_TIERS, type ParseTier, parseVersions } from '#src/jobs/releases.ts';
import { parseParameters } from '#src/parsing/parameters.ts';
import { cancelJob, deleteJob, getJob, pageOfJobs } from '#src/services/jobs/jobs.ts';
import { createParseJob, newParseJob, type ParsedPages, parsedPages } from '#src/services/jobs/parse-jobs.ts';
import { maskSecrets } from '#src/services/secrets/secret-fields.ts';
import { attempt, idempotencyKeyOf, jobListQuery, jobParams, jobTimes } from './jobs.schemas.ts';

const STATUSES = ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED'] as const;
const pageNumber = z.number().int().min(1);

const pageMetadata = z.object({
  page_number: pageNumber,
  read_by: z.object({
    mode: z.string().describe('`text` and `layout`: the parser alone.'),
    model: z.string().nullable(),
    version: z.string().nullable().describe('Of how models are asked; null where none was.'),
    reason: z.string(),
  }),
  confidence: z.number().nullish().describe('0 to 1: how well the page bears out what a model wrote of it.'),
  unsupported: z
    .array(z.object({ start: z.number(), end: z.number() }))
    .nullish()
    .describe('Parts of the Markdown, from and up to but not including, that the page does not say.'),
});

const parseJobBody = z
  .object({
    id: z.string(),
    project_id: z.string(),
    status: z.enum(STATUSES),
    file_id: z.string().nullish().describe('Also of a fetched URL.'),
    url: z.string().nullish(),
    configuration: parseParameters,
    configuration_id: z.string().nullish(),
    error_message: z.string().nullish(),
    page_count: z.number().int().nullish(),
    ...jobTimes,
    attempt,
    markdown: z
      .object({ pages: z.array(z.object({ page_number: pageNumber, markdown: z.string() })) })
      .nullish(),
    text: z.object({ pages: z.array(z.object({ page_number: pageNumber, text: z.string() })) }).nullish(),
    metadata: z.object({ pages: z.array(pageMetadata) }).nullish(),
  })
  .meta({ id: 'ParseJob' });

type Body = z.input<typeof parseJobBody>;

function presentParseJob(row: ParseJob, pages: ParsedPages = {}): Body {
  return {
    id: row.id,
    project_id: row.projectId,
    status: row.status,
    file_id: row.fileId,
    url: row.documentInputType === 'url' ? row.fileInput : null,
    configuration: maskSecrets(parseParameters, row.configuration) as Body['configuration'],
    configuration_id: row.configurationId,
    error_message: row.errorMessage,
    page_count: row.pageCount,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    attempt: row.attempt,
    ...pages,
  };
}

const ofTiers = <Schema extends z.ZodType>(schema: Schema) =>
  z.object(Object.fromEntries(PARSE_TIERS.map((tier) => [tier, schema])) as Record<ParseTier, Schema>);
const parseVersionsBody = ofTiers(z.array(z.string()))
  .extend({ latest: ofTiers(z.string()) })
  .meta({ id: 'ParseVersions' });

const params = jobParams('pjb');
const tag = 'Parse';

export const parseOperations = [
  operation({
    method: 'post',
    path: '/api/v2/parse',
    id: 'createParseJob',
    tag,
    summary: 'Parse a document, for itself or as the input of other jobs',
    access: 'project',
    body: { json: newParseJob },
    response: { status: 200, json: parseJobBody },
    errors: [400],
    async handle({ ctx, body, request }) {
      const job = await createParseJob(ctx, body, idempotencyKeyOf(request));
      return warningOfParsing(presentParseJob(job), ctx, job.projectId, 'configuration', job.configuration);
    },
  }),
  operation({
    method: 'get',
    path: '/api/v2/parse',
    id: 'listParseJobs',
    tag,
    summary: 'List parse jobs, newest first',
    access: 'project',
    query: jobListQuery.extend({ status: z.enum(STATUSES).nullish().describe('Jobs that are so now.') }),
    response: { status: 200, json: pageOf(parseJobBody).meta({ id: 'ParseJobPage' }) },
    async handle({ ctx, query }) {
      const page = await pageOfJobs<ParseJob>(ctx, 'parse', query);
      return { ...page, items: page.items.map((row) => presentParseJob(row)) };
    },
  }),
  // Ahead of the jobs: the path would be taken for an id.
  operation({
    method: 'get',
    path: '/api/v2/parse/versions',
    id: 'listParseVersions',
    tag,
    summary: 'The versions of the parser, by tier',
    access: 'project',
    response: { status: 200, json: parseVersionsBody },
    handle: async () => parseVersions(),
  }),
  operation({
    method: 'get',
    path: '/api/v2/parse/{job_id}',
    id: 'getParseJob',
    tag,
    summary: 'Read a parse job, on request with its pages',
    access: 'resource',
    params,
    query: z.object({
      expand: z
        .array(z.enum(['markdown', 'text', 'metadata']))
        .nullish()
        .describe('Which forms of the pages to add to the job; `metadata`: how each was read.'),
    }),
    response: { status: 200, json: parseJobBody },
    async handle({ ctx, params, query }) {
      const job = await getJob<ParseJob>(ctx, 'parse', params.job_id);
      return presentParseJob(job, await parsedPages(ctx, job, query.expand ?? []));
    },
  }),
  operation({
    method: 'delete',
    path: '/api/v2/parse/{job_id}',
    id: 'deleteParseJob',
    tag,
    summary: 'Delete a parse job; the pages stay with their file',
    access: 'resource',
    params,
    response: { status: 200, json: z.object({}).meta({ id: 'Deleted' }) },
    async handle({ ctx, params }) {
      await deleteJob(ctx, 'parse', params.job_id);
      return {};
    },
  }),
  operation({
    method: 'post',
    path: '/api/v2/parse/{job_id}/cancel',
    id: 'cancelParseJob',
    tag,
    summary: 'Cancel a parse job that has not ended',
    access: 'resource',
    params,
    response: { status: 200, json: parseJobBody },
    handle: async ({ ctx, params }) =>
      presentParseJob(await cancelJob<ParseJob>(ctx, 'parse', params.job_id)),
  }),
];
