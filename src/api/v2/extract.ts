import { z } from 'zod';
import { expandField } from '#src/api/http/expand.ts';
import { operation } from '#src/api/operation/endpoint.ts';
import { buildPageSchema } from '#src/api/operation/schemas.ts';
import type { TenantContext } from '#src/context/context.ts';
import type { ExtractJob } from '#src/db/schema/index.ts';
import { storedExtractConfiguration } from '#src/extraction/configuration.ts';
import { validateSchema } from '#src/json-schema/rules.ts';
import type { Warning } from '#src/lib/schema/effect.ts';
import { createExtractJob, newExtractJob } from '#src/services/jobs/extraction/extract-jobs.ts';
import { generateSchema, schemaGeneration } from '#src/services/jobs/extraction/generate-schema.ts';
import { readResult } from '#src/services/jobs/extraction/read-result.ts';
import { cancelJob, deleteJob, getJob, getJobPage } from '#src/services/jobs/jobs.ts';
import { removeSavedParsing } from '#src/services/jobs/parameters.ts';
import { getLanguageModel } from '#src/services/models/language.ts';
import { attempt, getIdempotencyKey, jobListQuery, jobParams, jobTimes } from './jobs.schemas.ts';

const map = z.record(z.string(), z.unknown());
const configurationBody = storedExtractConfiguration
  .extend({ data_schema: map })
  .meta({ id: 'ExtractConfiguration' });

export const extractJobBody = z
  .object({
    id: z.string(),
    project_id: z.string(),
    file_input: z.string(),
    status: z.enum(['PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED']),
    ...jobTimes,
    configuration: configurationBody.nullish(),
    configuration_id: z.string().nullish(),
    error_message: z.string().nullish(),
    extract_metadata: z
      .object({
        field_metadata: z
          .object({
            document_metadata: map.nullish(),
            page_metadata: z.array(map).nullish(),
            row_metadata: z.array(map).nullish(),
          })
          .nullish(),
        parse_job_id: z.string().nullish(),
        parse_tier: z.string().nullish(),
        model: z
          .string()
          .nullish()
          .describe('Model that read the document. `builtin` means without a language model.'),
      })
      .nullish(),
    extract_result: z.union([map, z.array(map)]).nullish(),
    metadata: z
      .object({ usage: z.object({ num_pages_extracted: z.number().nullish() }).nullish() })
      .nullish(),
    attempt,
  })
  .meta({ id: 'ExtractJob' });

type Body = z.input<typeof extractJobBody>;

/**
 * Converts an extract job to a response with all its parts. Only lists of jobs omit the parts that `expand`
 * does not name.
 */
export async function presentExtractJob(ctx: TenantContext, row: ExtractJob): Promise<Body> {
  const kept = await readResult(ctx, row);
  return {
    id: row.id,
    project_id: row.projectId,
    file_input: row.fileInput,
    status: row.status,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    configuration: removeSavedParsing(row.configuration) as Body['configuration'],
    configuration_id: row.configurationId,
    error_message: row.errorMessage,
    extract_metadata: (kept?.metadata as Body['extract_metadata']) ?? null,
    extract_result: (kept?.result as Body['extract_result']) ?? null,
    metadata: { usage: { num_pages_extracted: row.pagesExtracted } },
    attempt: row.attempt,
  };
}

const EXPANSIONS = ['configuration', 'extract_metadata', 'usage'] as const;
const expand = expandField(EXPANSIONS, 'Which further members an item has.');

async function presentItem(ctx: TenantContext, row: ExtractJob, wanted: readonly string[]): Promise<Body> {
  const { configuration, extract_metadata, metadata, ...job } = await presentExtractJob(ctx, row);
  return {
    ...job,
    ...(wanted.includes('configuration') && { configuration }),
    ...(wanted.includes('extract_metadata') && { extract_metadata }),
    ...(wanted.includes('usage') && { metadata }),
  };
}

/** Returns a warning if the job has examples that no language model reads. */
async function warnAboutExamples(ctx: TenantContext, job: ExtractJob): Promise<{ warnings?: Warning[] }> {
  if (!job.exampleJobIds?.length || (await getLanguageModel(ctx, job.projectId, 'extract'))) return {};
  const reason = 'No language model is configured. The built-in extractor does not use examples.';
  return { warnings: [{ field: 'use_reviewed_examples', reason }] };
}

const params = jobParams('ext');
const tag = 'Extract';
const schemaBody = z.object({ data_schema: map });

export const extractOperations = [
  operation({
    method: 'post',
    path: '/api/v2/extract',
    id: 'createExtractJob',
    needs: 'write',
    isBulk: true,
    tag,
    summary: 'Create an extract job',
    description:
      'Extracts data from a file or a parse job into the shape of your JSON Schema. Returns the job at ' +
      'once; read it until its `status` is `COMPLETED`, or save a webhook.',
    access: 'project',
    body: { json: newExtractJob },
    response: { status: 200, json: extractJobBody },
    errors: [400, 402],
    async handle({ ctx, body, request }) {
      const job = await createExtractJob(ctx, body, getIdempotencyKey(request));
      return { ...(await presentExtractJob(ctx, job)), ...(await warnAboutExamples(ctx, job)) };
    },
  }),
  operation({
    method: 'get',
    path: '/api/v2/extract',
    id: 'listExtractJobs',
    needs: 'read',
    tag,
    summary: 'List extract jobs',
    description: 'Returns one page of the extract jobs of the project, newest first.',
    access: 'project',
    query: jobListQuery.extend({
      status: z
        .enum(['PENDING', 'THROTTLED', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED'])
        .nullish()
        .describe('Only jobs in this state.'),
      file_input: z.string().nullish().describe('Only jobs on this file or parse job.'),
      document_input_type: z
        .enum(['file_id', 'parse_job_id'])
        .nullish()
        .describe('Only jobs on files, or only jobs on parse jobs.'),
      document_input_value: z
        .string()
        .nullish()
        .meta({ deprecated: true, description: 'Same as `file_input`.' }),
      expand,
    }),
    response: { status: 200, json: buildPageSchema(extractJobBody).meta({ id: 'ExtractJobPage' }) },
    async handle({ ctx, query }) {
      const filter = { ...query, file_input: query.file_input ?? query.document_input_value };
      const page = await getJobPage<ExtractJob>(ctx, 'extract', filter);
      const items = page.items.map((row) => presentItem(ctx, row, query.expand ?? []));
      return { ...page, items: await Promise.all(items) };
    },
  }),
  operation({
    method: 'post',
    path: '/api/v2/extract/schema/validation',
    id: 'validateExtractSchema',
    needs: 'read',
    tag,
    summary: 'Validate an extraction schema',
    description:
      'Checks the JSON Schema and returns it in the form that extract jobs use. The error names the ' +
      'place in the schema that is wrong.',
    access: 'project',
    body: { json: schemaBody },
    response: { status: 200, json: schemaBody.meta({ id: 'ExtractSchema' }) },
    errors: [400],
    handle: async ({ body }) => ({ data_schema: validateSchema(body.data_schema) }),
  }),
  operation({
    method: 'post',
    path: '/api/v2/extract/schema/generate',
    id: 'generateExtractSchema',
    needs: 'write',
    tag,
    summary: 'Generate an extraction schema',
    description:
      'Writes a schema from a prompt, a sample file or another schema. You can send the answer to ' +
      '`POST /api/v1/beta/configurations` as it is.',
    access: 'project',
    body: { json: schemaGeneration },
    response: {
      status: 200,
      json: z
        .object({
          name: z.string(),
          parameters: configurationBody.extend({ product_type: z.literal('extract_v2') }),
          model: z
            .string()
            .nullish()
            .describe('Model that wrote the schema. `builtin` means without a language model.'),
          note: z
            .string()
            .nullish()
            .describe('Reason why the configured language model did not write the schema.'),
        })
        .meta({ id: 'GeneratedExtractConfiguration' }),
    },
    errors: [400, 502],
    handle: ({ ctx, body }) => generateSchema(ctx, body),
  }),
  operation({
    method: 'get',
    path: '/api/v2/extract/{job_id}',
    id: 'getExtractJob',
    needs: 'read',
    tag,
    summary: 'Read an extract job',
    description: 'Returns the state of the job. A completed job has the extracted data in `extract_result`.',
    access: 'resource',
    params,
    query: z.object({ expand }),
    response: { status: 200, json: extractJobBody },
    handle: async ({ ctx, params }) =>
      presentExtractJob(ctx, await getJob<ExtractJob>(ctx, 'extract', params.job_id)),
  }),
  operation({
    method: 'delete',
    path: '/api/v2/extract/{job_id}',
    id: 'deleteExtractJob',
    needs: 'write',
    tag,
    summary: 'Delete an extract job',
    description: 'Deletes the job and its result.',
    access: 'resource',
    params,
    response: { status: 200, json: z.object({}).meta({ id: 'Deleted' }) },
    async handle({ ctx, params }) {
      await deleteJob(ctx, 'extract', params.job_id);
      return {};
    },
  }),
  operation({
    method: 'post',
    path: '/api/v2/extract/{job_id}/cancel',
    id: 'cancelExtractJob',
    needs: 'write',
    tag,
    summary: 'Cancel an extract job',
    description: 'Stops a job that has not ended yet. Answers 409 if the job has completed or failed.',
    access: 'resource',
    params,
    response: { status: 200, json: extractJobBody },
    handle: async ({ ctx, params }) =>
      presentExtractJob(ctx, await cancelJob<ExtractJob>(ctx, 'extract', params.job_id)),
  }),
];
