import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { buildPageSchema, pageQuery, pathId, timestamp } from '#src/api/operation/schemas.ts';
import { lifetimeQuery, presignedUrlBody } from '#src/api/v1/files/presigned-urls.ts';
import { getIdempotencyKey } from '#src/api/v2/jobs.schemas.ts';
import { presentSheets, presignRegion, regionBody, worksheetBody } from '#src/api/v2/sheets.ts';
import type { SheetsJob } from '#src/db/schema/index.ts';
import { deleteJob, getJob, getJobPage } from '#src/services/jobs/jobs.ts';
import { REGION_VIEWS } from '#src/services/jobs/sheets/region-files.ts';
import { createSheetsJob } from '#src/services/jobs/sheets/sheets-jobs.ts';
import { sheetsConfiguration } from '#src/sheets/configuration.ts';
import { CLIENT_STATUSES, toClientStatus } from './shared/job-status.ts';

const jobBody = z
  .object({
    id: z.string(),
    project_id: z.string(),
    user_id: z.string(),
    file_id: z.string().nullable(),
    config: sheetsConfiguration,
    status: z.enum(CLIENT_STATUSES),
    success: z.boolean().nullish(),
    errors: z.array(z.string()),
    regions: z.array(regionBody),
    worksheet_metadata: z.array(worksheetBody),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'ClientSheetsJob' });

function presentJob(row: SheetsJob, hasResults: boolean): z.input<typeof jobBody> {
  const { regions, worksheets } = presentSheets(hasResults ? row : { ...row, result: null });
  return {
    id: row.id,
    project_id: row.projectId,
    user_id: row.userId,
    file_id: row.fileId,
    config: row.configuration as z.input<typeof sheetsConfiguration>,
    status: toClientStatus[row.status],
    success: row.finishedAt ? row.status === 'COMPLETED' : null,
    errors: row.errorMessage ? [row.errorMessage] : [],
    regions,
    worksheet_metadata: worksheets,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

const path = '/api/v1/beta/sheets/jobs';
const one = `${path}/{spreadsheet_job_id}` as const;
const params = z.object({ spreadsheet_job_id: pathId('sht') });
const tag = 'Sheets';
const includeResults = (byDefault: boolean) =>
  z.boolean().nullish().describe(`Whether the answer has the regions. Default: ${byDefault}.`);

export const clientSheetsOperations = [
  operation({
    method: 'post',
    path,
    id: 'clientCreateSheetsJob',
    needs: 'write',
    isBulk: true,
    tag,
    summary: 'Create a sheets job',
    description: 'Finds the tables of a spreadsheet. Returns the job at once.',
    access: 'project',
    body: {
      json: z
        .object({ file_id: z.string().min(1).max(200), config: sheetsConfiguration.nullish() })
        .meta({ id: 'ClientSheetsJobCreate' }),
    },
    response: { status: 200, json: jobBody },
    errors: [400, 402],
    async handle({ ctx, body, request }) {
      const input = { file_input: body.file_id, configuration: body.config };
      return presentJob(await createSheetsJob(ctx, input, getIdempotencyKey(request)), false);
    },
  }),
  operation({
    method: 'get',
    path,
    id: 'clientListSheetsJobs',
    needs: 'read',
    tag,
    summary: 'List sheets jobs',
    description: 'Returns one page of the sheets jobs of the project, newest first.',
    access: 'project',
    query: pageQuery.extend({ include_results: includeResults(false) }),
    response: { status: 200, json: buildPageSchema(jobBody).meta({ id: 'ClientSheetsJobPage' }) },
    async handle({ ctx, query }) {
      const page = await getJobPage<SheetsJob>(ctx, 'sheets', query);
      return { ...page, items: page.items.map((row) => presentJob(row, query.include_results === true)) };
    },
  }),
  operation({
    method: 'get',
    path: one,
    id: 'clientGetSheetsJob',
    needs: 'read',
    tag,
    summary: 'Read a sheets job',
    description: 'Returns the state of the job, and its regions once it has completed.',
    access: 'resource',
    params,
    query: z.object({ include_results: includeResults(true) }),
    response: { status: 200, json: jobBody },
    handle: async ({ ctx, params, query }) =>
      presentJob(
        await getJob<SheetsJob>(ctx, 'sheets', params.spreadsheet_job_id),
        query.include_results !== false,
      ),
  }),
  operation({
    method: 'delete',
    path: one,
    id: 'clientDeleteSheetsJob',
    needs: 'write',
    tag,
    summary: 'Delete a sheets job',
    description: 'Deletes the job and its result.',
    access: 'resource',
    params,
    response: { status: 200, json: z.object({}).meta({ id: 'Deleted' }) },
    async handle({ ctx, params }) {
      await deleteJob(ctx, 'sheets', params.spreadsheet_job_id);
      return {};
    },
  }),
  operation({
    method: 'get',
    path: `${one}/regions/{region_id}/result/{region_type}`,
    id: 'clientGetSheetsRegion',
    needs: 'read',
    tag,
    summary: 'Get the file of a region',
    description: 'Returns a presigned URL for the Parquet file of a region.',
    access: 'resource',
    params: params.extend({
      region_id: z.string().max(100),
      region_type: z.enum(REGION_VIEWS).describe('Content of the file.'),
    }),
    query: lifetimeQuery,
    response: { status: 200, json: presignedUrlBody },
    errors: [409],
    handle: async ({ ctx, params, query, request }) =>
      presignRegion(ctx, request, await getJob<SheetsJob>(ctx, 'sheets', params.spreadsheet_job_id), {
        regionId: params.region_id,
        view: params.region_type,
        format: 'parquet',
        lifetimeSeconds: query.expires_at_seconds,
      }),
  }),
];
