import { z } from 'zod';
import { operation } from '#src/api/endpoint.ts';
import { expandField } from '#src/api/expand.ts';
import { pageOf } from '#src/api/schemas.ts';
import { streamedJson } from '#src/api/stream-pieces.ts';
import { originOf } from '#src/api/v1/presigned-urls.ts';
import { warningOfParsing } from '#src/api/warnings.ts';
import type { TenantContext } from '#src/context.ts';
import type { ParseJob } from '#src/db/schema/index.ts';
import { objectPieces } from '#src/lib/json-pieces.ts';
import { PARSE_TIERS, type ParseTier, parseVersions } from '#src/parsing/versions.ts';
import { cancelJob, deleteJob, getJob, pageOfJobs } from '#src/services/jobs/jobs.ts';
import { createParseJob, newParseJob } from '#src/services/jobs/parse-jobs.ts';
import { factsOfParses } from '#src/services/jobs/parse-results/facts.ts';
import { findResult } from '#src/services/jobs/parse-results/open.ts';
import { idempotencyKeyOf, jobListQuery, jobParams } from './jobs.schemas.ts';
import {
  EXPANSION_NAMES,
  isExpandable,
  PARSE_STATUSES,
  type ParseJobBody,
  parseJobBody,
  presentParseJob,
} from './parse.schemas.ts';
import { expansions, parseResultOperations } from './parse-results.ts';

async function presented(ctx: TenantContext, rows: ParseJob[]): Promise<ParseJobBody[]> {
  const facts = await factsOfParses(ctx, rows);
  return rows.map((row, at) => presentParseJob(row, facts[at]!));
}

const presentOne = async (ctx: TenantContext, row: ParseJob) => (await presented(ctx, [row]))[0]!;

const ofTiers = <Schema extends z.ZodType>(schema: Schema) =>
  z.object(Object.fromEntries(PARSE_TIERS.map((tier) => [tier, schema])) as Record<ParseTier, Schema>);
export const parseVersionsBody = ofTiers(z.array(z.string()))
  .extend({ latest: ofTiers(z.string()) })
  .meta({ id: 'ParseVersions' });

export const parseListQuery = jobListQuery.extend({
  status: z.enum(PARSE_STATUSES).nullish().describe('Jobs that are so now.'),
});

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
    errors: [400, 402],
    async handle({ ctx, body, request }) {
      const job = await createParseJob(ctx, body, idempotencyKeyOf(request));
      const shown = await presentOne(ctx, job);
      return warningOfParsing(shown, ctx, job.projectId, 'configuration', job.configuration);
    },
  }),
  operation({
    method: 'get',
    path: '/api/v2/parse',
    id: 'listParseJobs',
    tag,
    summary: 'List parse jobs, newest first',
    access: 'project',
    query: parseListQuery,
    response: { status: 200, json: pageOf(parseJobBody).meta({ id: 'ParseJobPage' }) },
    async handle({ ctx, query }) {
      const page = await pageOfJobs<ParseJob>(ctx, 'parse', query);
      return { ...page, items: await presented(ctx, page.items) };
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
    summary: 'Read a parse job, on request with what it read',
    description:
      'Pages come one by one (`markdown`, `text`, typed pieces as `items`, `metadata`), as one text ' +
      '(`markdown_full`, `text_full`), or as files to fetch without a key (`*_content_metadata`). A page that could ' +
      'not be read has `success` false and its `error`. `structured` is what the parse parameters ' +
      '`structured_output…` ask for.',
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
      const asked = { ctx, origin: originOf(request), result };
      return streamedJson(ctx, objectPieces(head, expansions(query.expand.filter(isExpandable), asked)));
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
      presentOne(ctx, await cancelJob<ParseJob>(ctx, 'parse', params.job_id)),
  }),
  ...parseResultOperations,
];
