import { z } from 'zod';
import { expandField } from '#src/api/http/expand.ts';
import { streamJson } from '#src/api/http/stream-pieces.ts';
import { addParsingWarnings } from '#src/api/http/warnings.ts';
import { operation } from '#src/api/operation/endpoint.ts';
import { buildPageSchema } from '#src/api/operation/schemas.ts';
import { getOrigin } from '#src/api/v1/files/presigned-urls.ts';
import type { TenantContext } from '#src/context/context.ts';
import type { ParseJob } from '#src/db/schema/index.ts';
import { objectPieces } from '#src/lib/json/json-pieces.ts';
import { PARSE_TIERS, type ParseTier, parseVersions } from '#src/parse/versions.ts';
import { cancelJob, deleteJob, getJob, getJobPage } from '#src/services/jobs/jobs.ts';
import { createParseJob, newParseJob } from '#src/services/jobs/parse/parse-jobs.ts';
import { getParseFacts } from '#src/services/jobs/parse/results/facts.ts';
import { findResult } from '#src/services/jobs/parse/results/open.ts';
import { getIdempotencyKey, jobListQuery, jobParams } from './jobs.schemas.ts';
import {
  EXPANSION_NAMES,
  isExpandable,
  PARSE_STATUSES,
  type ParseJobBody,
  parseJobBody,
  presentParseJob,
} from './parse.schemas.ts';
import { parsePageOperations } from './parse-pages.ts';
import { expansions, parseResultOperations } from './parse-results.ts';

async function presented(ctx: TenantContext, rows: ParseJob[]): Promise<ParseJobBody[]> {
  const facts = await getParseFacts(ctx, rows);
  return rows.map((row, at) => presentParseJob(row, facts[at]!));
}

const presentOne = async (ctx: TenantContext, row: ParseJob) => (await presented(ctx, [row]))[0]!;

const ofTiers = <Schema extends z.ZodType>(schema: Schema) =>
  z.object(Object.fromEntries(PARSE_TIERS.map((tier) => [tier, schema])) as Record<ParseTier, Schema>);
export const parseVersionsBody = ofTiers(z.array(z.string()))
  .extend({ latest: ofTiers(z.string()) })
  .meta({ id: 'ParseVersions' });

export const parseListQuery = jobListQuery.extend({
  status: z.enum(PARSE_STATUSES).nullish().describe('Only jobs in this state.'),
});

const params = jobParams('pjb');
const tag = 'Parse';

export const parseOperations = [
  operation({
    method: 'post',
    path: '/api/v2/parse',
    id: 'createParseJob',
    needs: 'write',
    isBulk: true,
    tag,
    summary: 'Create a parse job',
    description:
      'Parses a file into pages of text, Markdown and typed items. Returns the job at once; read it ' +
      'until its `status` is `COMPLETED`, or save a webhook. Extract and classify jobs can use a parse ' +
      'job as their input.',
    access: 'project',
    body: { json: newParseJob },
    response: { status: 200, json: parseJobBody },
    errors: [400, 402],
    async handle({ ctx, body, request }) {
      const job = await createParseJob(ctx, body, getIdempotencyKey(request));
      const shown = await presentOne(ctx, job);
      return addParsingWarnings(shown, ctx, job.projectId, 'configuration', job.configuration);
    },
  }),
  operation({
    method: 'get',
    path: '/api/v2/parse',
    id: 'listParseJobs',
    needs: 'read',
    tag,
    summary: 'List parse jobs',
    description: 'Returns one page of the parse jobs of the project, newest first.',
    access: 'project',
    query: parseListQuery,
    response: { status: 200, json: buildPageSchema(parseJobBody).meta({ id: 'ParseJobPage' }) },
    async handle({ ctx, query }) {
      const page = await getJobPage<ParseJob>(ctx, 'parse', query);
      return { ...page, items: await presented(ctx, page.items) };
    },
  }),
  // This route is declared before the routes with a job id, which would otherwise treat `versions` as a job
  // id.
  operation({
    method: 'get',
    path: '/api/v2/parse/versions',
    id: 'listParseVersions',
    needs: 'read',
    tag,
    summary: 'List the versions of the parser',
    description:
      'Returns the parser versions that a request can name, by tier. `latest` stands for the newest ' +
      'one.',
    access: 'project',
    response: { status: 200, json: parseVersionsBody },
    handle: async () => parseVersions(),
  }),
  operation({
    method: 'get',
    path: '/api/v2/parse/{job_id}',
    id: 'getParseJob',
    needs: 'read',
    tag,
    summary: 'Read a parse job',
    description:
      'Returns the state of the job and, with `expand`, its result: page by page (`markdown`, `text`, ' +
      '`items`, `metadata`), as one text (`markdown_full`, `text_full`), or as URLs ' +
      '(`*_content_metadata`). A page that could not be read has `success` false and an `error`. The ' +
      'parse parameters `structured_output…` fill `structured`.',
    access: 'resource',
    params,
    query: z.object({
      expand: expandField(
        EXPANSION_NAMES,
        'What to add to a job that has completed; nothing is added to others.',
      ),
    }),
    response: { status: 200, json: parseJobBody },
    async handle({ ctx, params, query, request }) {
      const job = await getJob<ParseJob>(ctx, 'parse', params.job_id);
      const head = await presentOne(ctx, job);
      const result = findResult(ctx, job);
      if (!result || !query.expand?.length) return head;
      const asked = { ctx, origin: getOrigin(request), result };
      return streamJson(ctx, objectPieces(head, expansions(query.expand.filter(isExpandable), asked)));
    },
  }),
  operation({
    method: 'delete',
    path: '/api/v2/parse/{job_id}',
    id: 'deleteParseJob',
    needs: 'write',
    tag,
    summary: 'Delete a parse job',
    description:
      'Deletes the job. The parsed pages stay with their file, where other jobs and pipelines use them.',
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
    needs: 'write',
    tag,
    summary: 'Cancel a parse job',
    description: 'Stops a job that has not ended yet. Answers 409 if the job has completed or failed.',
    access: 'resource',
    params,
    response: { status: 200, json: parseJobBody },
    handle: async ({ ctx, params }) =>
      presentOne(ctx, await cancelJob<ParseJob>(ctx, 'parse', params.job_id)),
  }),
  ...parsePageOperations,
  ...parseResultOperations,
];
