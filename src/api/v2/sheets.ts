import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { buildPageSchema } from '#src/api/operation/schemas.ts';
import { getOrigin, lifetimeQuery, presentUrl, presignedUrlBody } from '#src/api/v1/files/presigned-urls.ts';
import { presign } from '#src/bucket/presigned-url.ts';
import type { Context } from '#src/context/context.ts';
import type { SheetsJob } from '#src/db/schema/index.ts';
import { cancelJob, deleteJob, getJob, getJobPage } from '#src/services/jobs/jobs.ts';
import {
  REGION_FORMAT_NAMES,
  REGION_VIEWS,
  type RegionFormat,
  type RegionView,
  requireRegion,
} from '#src/services/jobs/sheets/region-files.ts';
import { createSheetsJob, newSheetsJob } from '#src/services/jobs/sheets/sheets-jobs.ts';
import { sheetsConfiguration } from '#src/sheets/configuration.ts';
import { attempt, getIdempotencyKey, jobListQuery, jobParams, jobTimes } from './jobs.schemas.ts';

const STATUSES = ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED'] as const;

export const regionBody = z.object({
  region_id: z.string(),
  sheet_name: z.string(),
  location: z.string().describe('Range of the cells, such as `A1:D20`.'),
  region_type: z
    .enum(['table', 'extra'])
    .describe('`extra` is a single column or row, or a text that stands alone.'),
  title: z.string().nullish(),
  description: z.string().nullish(),
});

export const worksheetBody = z.object({
  sheet_name: z.string(),
  title: z.string().nullish(),
  description: z.string().nullish(),
});

const sheetsJobBody = z
  .object({
    id: z.string(),
    project_id: z.string(),
    user_id: z.string(),
    status: z.enum(STATUSES),
    configuration: sheetsConfiguration,
    configuration_id: z.string().nullish(),
    document_input_type: z.enum(['file_id', 'parse_job_id', 'url']),
    file_input: z.string(),
    file_id: z.string().nullish(),
    parse_job_id: z.string().nullish(),
    error_message: z.string().nullish(),
    result: z
      .object({ regions: z.array(regionBody), worksheets: z.array(worksheetBody) })
      .nullish()
      .describe('Null in lists, and until the job has completed.'),
    ...jobTimes,
    attempt,
  })
  .meta({ id: 'SheetsJob' });

type Body = z.input<typeof sheetsJobBody>;

/** Returns the regions and worksheets of a job for API responses. */
export const presentSheets = ({ result }: SheetsJob) => ({
  regions: (result?.regions ?? []).map(({ id, sheetName, location, type, title, description }) => ({
    region_id: id,
    sheet_name: sheetName,
    location,
    region_type: type,
    title,
    description,
  })),
  worksheets: (result?.worksheets ?? []).map(({ sheetName, title, description }) => ({
    sheet_name: sheetName,
    title,
    description,
  })),
});

function presentSheetsJob(row: SheetsJob, hasResult = true): Body {
  return {
    id: row.id,
    project_id: row.projectId,
    user_id: row.userId,
    status: row.status,
    configuration: row.configuration as Body['configuration'],
    configuration_id: row.configurationId,
    document_input_type: row.documentInputType,
    file_input: row.fileInput,
    file_id: row.fileId,
    parse_job_id: row.parseJobId,
    error_message: row.errorMessage,
    result: hasResult && row.result ? presentSheets(row) : null,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    attempt: row.attempt,
  };
}

interface RegionRequest {
  regionId: string;
  view: RegionView;
  format: RegionFormat;
  lifetimeSeconds: number | null | undefined;
}

/** Returns a presigned URL for the file of a region. */
export async function presignRegion(
  ctx: Context,
  request: Request,
  job: SheetsJob,
  { regionId, view, format, lifetimeSeconds }: RegionRequest,
) {
  requireRegion(job, regionId, view);
  const path = `/presigned/sheets/${job.id}/${encodeURIComponent(regionId)}/${view}/${format}`;
  return presentUrl(
    await presign(ctx.settings, getOrigin(request), 'GET', path, lifetimeSeconds ?? undefined),
  );
}

const params = jobParams('sht');
const tag = 'Sheets';

export const sheetsOperations = [
  operation({
    method: 'post',
    path: '/api/v2/sheets',
    id: 'createSheetsJob',
    needs: 'write',
    isBulk: true,
    tag,
    summary: 'Create a sheets job',
    description:
      'Finds the tables of a spreadsheet (XLSX, XLS, ODS, CSV or TSV), with their place, title and column types. ' +
      'Returns the job at once; read it until its `status` is `COMPLETED`, or save a webhook.',
    access: 'project',
    body: { json: newSheetsJob },
    response: { status: 200, json: sheetsJobBody },
    errors: [400, 402],
    handle: async ({ ctx, body, request }) =>
      presentSheetsJob(await createSheetsJob(ctx, body, getIdempotencyKey(request))),
  }),
  operation({
    method: 'get',
    path: '/api/v2/sheets',
    id: 'listSheetsJobs',
    needs: 'read',
    tag,
    summary: 'List sheets jobs',
    description: 'Returns one page of the sheets jobs of the project, newest first, without their results.',
    access: 'project',
    query: jobListQuery.extend({ status: z.enum(STATUSES).nullish().describe('Only jobs in this state.') }),
    response: { status: 200, json: buildPageSchema(sheetsJobBody).meta({ id: 'SheetsJobPage' }) },
    async handle({ ctx, query }) {
      const page = await getJobPage<SheetsJob>(ctx, 'sheets', query);
      return { ...page, items: page.items.map((row) => presentSheetsJob(row, false)) };
    },
  }),
  operation({
    method: 'get',
    path: '/api/v2/sheets/{job_id}',
    id: 'getSheetsJob',
    needs: 'read',
    tag,
    summary: 'Read a sheets job',
    description: 'Returns the state of the job. A completed job has its regions in `result`.',
    access: 'resource',
    params,
    response: { status: 200, json: sheetsJobBody },
    handle: async ({ ctx, params }) =>
      presentSheetsJob(await getJob<SheetsJob>(ctx, 'sheets', params.job_id)),
  }),
  operation({
    method: 'get',
    path: '/api/v2/sheets/{job_id}/regions/{region_id}/result/{region_type}',
    id: 'getSheetsRegion',
    needs: 'read',
    tag,
    summary: 'Get the file of a region',
    description:
      'Returns a presigned URL for the table of a region as Parquet or CSV. `cell_metadata` has one row for each ' +
      'filled cell, with its address and type. Answers 409 until the job has completed.',
    access: 'resource',
    params: params.extend({
      region_id: z.string().max(100),
      region_type: z
        .enum(REGION_VIEWS)
        .describe('Content of the file: the table or cells, or details of the cells.'),
    }),
    query: lifetimeQuery.extend({
      format: z.enum(REGION_FORMAT_NAMES).nullish().describe('Default: `parquet`.'),
    }),
    response: { status: 200, json: presignedUrlBody },
    errors: [409],
    handle: async ({ ctx, params, query, request }) =>
      presignRegion(ctx, request, await getJob<SheetsJob>(ctx, 'sheets', params.job_id), {
        regionId: params.region_id,
        view: params.region_type,
        format: query.format ?? 'parquet',
        lifetimeSeconds: query.expires_at_seconds,
      }),
  }),
  operation({
    method: 'delete',
    path: '/api/v2/sheets/{job_id}',
    id: 'deleteSheetsJob',
    needs: 'write',
    tag,
    summary: 'Delete a sheets job',
    description: 'Deletes the job and its result.',
    access: 'resource',
    params,
    response: { status: 200, json: z.object({}).meta({ id: 'Deleted' }) },
    async handle({ ctx, params }) {
      await deleteJob(ctx, 'sheets', params.job_id);
      return {};
    },
  }),
  operation({
    method: 'post',
    path: '/api/v2/sheets/{job_id}/cancel',
    id: 'cancelSheetsJob',
    needs: 'write',
    tag,
    summary: 'Cancel a sheets job',
    description: 'Stops a job that has not ended yet. Answers 409 if the job has completed or failed.',
    access: 'resource',
    params,
    response: { status: 200, json: sheetsJobBody },
    handle: async ({ ctx, params }) =>
      presentSheetsJob(await cancelJob<SheetsJob>(ctx, 'sheets', params.job_id)),
  }),
];
