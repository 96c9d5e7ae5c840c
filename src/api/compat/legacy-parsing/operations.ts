import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { jobParams } from '#src/api/v2/jobs.schemas.ts';
import type { ParseJob } from '#src/db/schema/index.ts';
import { fileFormats } from '#src/file-formats/registry.ts';
import { type ParseParameters, parseParameters } from '#src/parse/parameters/parameters.ts';
import { getJob } from '#src/services/jobs/jobs.ts';
import { getParseFacts } from '#src/services/jobs/parse/results/facts.ts';
import { maskSecrets } from '#src/services/secrets/secret-fields.ts';
import { parseUpload, parsingForm, parsingJob, presentParsingJob } from './jobs.ts';
import { toZero } from './page-numbers.ts';
import { createImageResponse, createRawResponse, createResultResponse } from './results.ts';

const tag = 'Parsing';
const map = z.record(z.string(), z.unknown());
const text = z.string();
const binary = text.meta({ format: 'binary' });
const PDF = 'application/pdf';
const SHEETS = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
const form = z
  .string()
  .max(100)
  .describe(
    'Form of the result: `markdown`, `text`, `json`, `xlsx`, `pdf` or `structured`. Other values are answered with 404.',
  );

function getParameters({ configuration }: ParseJob): ParseParameters {
  const shown = maskSecrets(parseParameters, configuration) as ParseParameters;
  const pages = shown.target_pages;
  return { ...shown, ...(typeof pages === 'string' && { target_pages: toZero(pages) }) };
}

const params = jobParams('pjb');

/**
 * Declares the older operations that start a parse job and list supported formats. `name` is the prefix of
 * their operation ids.
 */
function startOperations<const Name extends string>(name: Name, prefix: string) {
  return [
    operation({
      method: 'post',
      path: `${prefix}/upload`,
      id: `${name}Upload`,
      needs: 'write',
      tag,
      summary: 'Parse a file or a URL',
      description:
        'Send the file as the part `file`, or its address in `input_url`. The other fields are parse ' +
        'parameters as text. Pages in `target_pages` are counted from 0.',
      access: 'project',
      body: { multipart: parsingForm, urlencoded: true },
      response: { status: 200, json: parsingJob },
      errors: [400, 402],
      async handle({ ctx, request }) {
        const { job, warnings } = await parseUpload(ctx, request);
        return { ...presentParsingJob(job), ...(warnings.length > 0 && { warnings }) };
      },
    }),
    operation({
      method: 'get',
      path: `${prefix}/supported_file_extensions`,
      id: `${name}Extensions`,
      needs: 'read',
      tag,
      summary: 'List the supported file extensions',
      description: 'Returns the common extensions of the formats that can be parsed, each with its dot.',
      access: 'project',
      response: { status: 200, json: z.array(z.string()) },
      handle: async () => fileFormats.flatMap(({ extensions }) => extensions.map((end) => `.${end}`)),
    }),
  ] as const;
}

/** Declares the older operations that describe a parse job. `name` is the prefix of their operation ids. */
function jobOperations<const Name extends string>(name: Name, prefix: string) {
  const one = `${prefix}/job/{job_id}`;
  return [
    operation({
      method: 'get',
      path: one,
      id: `${name}Job`,
      needs: 'read',
      tag,
      summary: 'Read the state of a parse job',
      description: 'Returns the id and the state of the job, and the error of a failed job.',
      access: 'resource',
      params,
      response: { status: 200, json: parsingJob },
      handle: async ({ ctx, params }) =>
        presentParsingJob(await getJob<ParseJob>(ctx, 'parse', params.job_id)),
    }),
    operation({
      method: 'get',
      path: `${one}/details`,
      id: `${name}Details`,
      needs: 'read',
      tag,
      summary: 'Read the details of a parse job',
      description:
        'Returns the state of the job with its file, its parse parameters, and its pages and credits.',
      access: 'resource',
      params,
      response: { status: 200, json: parsingJob.extend({ parameters: parseParameters }).loose() },
      async handle({ ctx, params }) {
        const job = await getJob<ParseJob>(ctx, 'parse', params.job_id);
        const [facts] = await getParseFacts(ctx, [job]);
        return {
          ...presentParsingJob(job),
          project_id: job.projectId,
          file_id: job.fileId,
          file_name: facts!.name,
          created_at: job.createdAt.toISOString(),
          job_pages: job.pageCount,
          job_credits_usage: facts!.credits,
          parameters: getParameters(job),
        };
      },
    }),
    operation({
      method: 'get',
      path: `${one}/parameters`,
      id: `${name}Parameters`,
      needs: 'read',
      tag,
      summary: 'Read the parameters of a parse job',
      description:
        'Returns the parse parameters of the job. Secrets are masked, and pages in `target_pages` are ' +
        'counted from 0.',
      access: 'resource',
      params,
      response: { status: 200, json: parseParameters },
      handle: async ({ ctx, params }) => getParameters(await getJob<ParseJob>(ctx, 'parse', params.job_id)),
    }),
  ] as const;
}

/**
 * Declares the older operations that return the result of a parse job. `name` is the prefix of their
 * operation ids.
 */
function resultOperations<const Name extends string>(name: Name, prefix: string) {
  const one = `${prefix}/job/{job_id}`;
  return [
    operation({
      method: 'get',
      path: `${one}/result/{form}`,
      id: `${name}Result`,
      needs: 'read',
      tag,
      summary: 'Read the result of a parse job',
      description:
        'Returns the result in the form that the path names, together with metadata of the job. Tables ' +
        'come as a workbook. Answers 409 if the job failed or was cancelled.',
      access: 'resource',
      params: params.extend({ form }),
      response: {
        status: 200,
        content: {
          'application/json': map.and(z.looseObject({ job_metadata: map })),
          [SHEETS]: binary,
          [PDF]: binary,
        },
        description: 'The result. Tables are returned as a workbook',
      },
      errors: [409],
      handle: async ({ ctx, params }) => createResultResponse(ctx, params.job_id, params.form),
    }),
    operation({
      method: 'get',
      path: `${one}/result/raw/{form}`,
      id: `${name}RawResult`,
      needs: 'read',
      tag,
      summary: 'Download the result of a parse job',
      description: 'Returns the result in the form that the path names, without metadata of the job.',
      access: 'resource',
      params: params.extend({ form }),
      response: {
        status: 200,
        content: {
          'text/markdown': text,
          'text/plain': text,
          'application/json': map.nullable(),
          [SHEETS]: binary,
          [PDF]: binary,
        },
        description: 'The result in the requested form',
      },
      errors: [409],
      handle: async ({ ctx, params }) => createRawResponse(ctx, params.job_id, params.form),
    }),
    operation({
      method: 'get',
      path: `${one}/result/image/{name}`,
      id: `${name}Image`,
      needs: 'read',
      tag,
      summary: 'Read an image of a parse job',
      description:
        'Returns the image of a page (`page_1.jpg` is the first page) or a picture that is embedded in ' +
        'a page.',
      access: 'resource',
      params: params.extend({ name: z.string().min(1) }),
      response: {
        status: 200,
        content: { 'image/png': binary, 'image/jpeg': binary, 'image/webp': binary, 'image/gif': binary },
        description: 'The image',
        conditional: true,
      },
      errors: [409],
      handle: async ({ ctx, params, request }) =>
        createImageResponse(ctx, request, params.job_id, params.name),
    }),
  ] as const;
}

/**
 * Declares all older parse operations, which clients use under two path prefixes. `name` is the prefix of
 * their operation ids.
 */
const legacyParsing = <const Name extends string>(name: Name, prefix: string) => [
  ...startOperations(name, prefix),
  ...jobOperations(name, prefix),
  ...resultOperations(name, prefix),
];

export const legacyParsingOperations = [
  ...legacyParsing('legacyParsing', '/api/v1/parsing'),
  ...legacyParsing('unversionedParsing', '/api/parsing'),
];
