import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { idParams } from '#src/api/operation/schemas.ts';
import type { ExtractJob } from '#src/db/schema/index.ts';
import { uuid } from '#src/lib/secrets/uuid.ts';
import { findAgent, pageAgentJobs } from '#src/services/jobs/extraction/agents.ts';
import { deleteJob, getJob } from '#src/services/jobs/jobs.ts';
import { runBody } from './bodies.ts';
import { presentRun, presentRuns } from './present.ts';

const DEFAULT_LIMIT = 10;

const ofAgent = z.object({ extraction_agent_id: uuid() });

const path = '/api/v1/extraction/runs';
const one = `${path}/{run_id}` as const;
const params = idParams('run_id');
const tag = 'Extraction runs';

export const runOperations = [
  operation({
    method: 'get',
    path,
    id: 'listExtractionRuns',
    needs: 'read',
    tag,
    summary: 'List the runs of an extraction agent',
    description: 'Returns the runs from `skip` on, newest first. A run is a job with its result.',
    access: 'resource',
    query: ofAgent.extend({
      skip: z.number().int().min(0).nullish(),
      limit: z.number().int().min(1).max(100).nullish().describe(`By default ${DEFAULT_LIMIT}.`),
    }),
    response: {
      status: 200,
      json: z
        .object({
          items: z.array(runBody),
          total: z.number().int(),
          skip: z.number().int(),
          limit: z.number().int(),
        })
        .meta({ id: 'PaginatedExtractRuns' }),
    },
    errors: [404],
    async handle({ ctx, query }) {
      const { agent } = await findAgent(ctx, query.extraction_agent_id);
      const window = { skip: query.skip ?? 0, limit: query.limit ?? DEFAULT_LIMIT };
      const { rows, total } = await pageAgentJobs(ctx, agent, window);
      return { items: await presentRuns(ctx, rows), total, ...window };
    },
  }),
  operation({
    method: 'get',
    path: `${path}/latest-from-ui`,
    id: 'getLatestExtractionRunFromUi',
    needs: 'read',
    tag,
    summary: 'Read the latest run from the web interface',
    description: 'Always returns null, because no web interface of this installation starts such runs.',
    access: 'resource',
    query: ofAgent,
    response: { status: 200, json: runBody.nullable() },
    errors: [404],
    async handle({ ctx, query }) {
      await findAgent(ctx, query.extraction_agent_id);
      return null;
    },
  }),
  operation({
    method: 'get',
    path: `${path}/by-job/{job_id}`,
    id: 'getExtractionRunOfJob',
    needs: 'read',
    tag,
    summary: 'Read the run of an extraction job',
    description: 'Returns the run with its schema, its configuration and its result.',
    access: 'project',
    params: idParams('job_id'),
    response: { status: 200, json: runBody },
    handle: async ({ ctx, params }) =>
      presentRun(ctx, await getJob<ExtractJob>(ctx, 'extract', params.job_id)),
  }),
  operation({
    method: 'get',
    path: one,
    id: 'getExtractionRun',
    needs: 'read',
    tag,
    summary: 'Read an extraction run',
    description: 'Returns the run with its schema, its configuration and its result.',
    access: 'project',
    params,
    response: { status: 200, json: runBody },
    handle: async ({ ctx, params }) =>
      presentRun(ctx, await getJob<ExtractJob>(ctx, 'extract', params.run_id)),
  }),
  operation({
    method: 'delete',
    path: one,
    id: 'deleteExtractionRun',
    needs: 'write',
    tag,
    summary: 'Delete an extraction run',
    description: 'Deletes the run with its job and its result.',
    access: 'project',
    params,
    response: { status: 200, json: z.object({}).meta({ id: 'Deleted' }) },
    async handle({ ctx, params }) {
      await deleteJob(ctx, 'extract', params.run_id);
      return {};
    },
  }),
];
