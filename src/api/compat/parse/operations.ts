import { z } from 'zod';
import { streamJson } from '#src/api/http/stream-pieces.ts';
import { addWarningsHeader } from '#src/api/http/warnings.ts';
import { operation } from '#src/api/operation/endpoint.ts';
import { buildPageSchema } from '#src/api/operation/schemas.ts';
import { getOrigin } from '#src/api/v1/files/presigned-urls.ts';
import { getIdempotencyKey, jobParams } from '#src/api/v2/jobs.schemas.ts';
import { parseListQuery, parseVersionsBody } from '#src/api/v2/parse.ts';
import type { Context } from '#src/context/context.ts';
import type { ParseJob } from '#src/db/schema/index.ts';
import { objectPieces } from '#src/lib/json/json-pieces.ts';
import type { Warning } from '#src/lib/schema/effect.ts';
import { parseVersions } from '#src/parse/versions.ts';
import { getParsingWarnings } from '#src/reading/service/warnings.ts';
import { cancelJob, deleteJob, getJob, getJobPage } from '#src/services/jobs/jobs.ts';
import { createParseJob } from '#src/services/jobs/parse/parse-jobs.ts';
import { findResult } from '#src/services/jobs/parse/results/open.ts';
import {
  clientParse,
  clientParseJob,
  clientParseResult,
  presentJob,
  presentJobs,
  toNewParseJob,
} from './bodies.ts';
import { expandResult, listUnknownWarnings } from './expand.ts';
import { findOptionPath } from './parameters.ts';
import { clientUpload, uploadAndParse } from './upload.ts';

const path = '/api/v2/parse';
const one = `${path}/{job_id}` as const;
const params = jobParams('pjb');
const tag = 'Parse';

export const clientParseOperations = [
  operation({
    method: 'post',
    path,
    id: 'clientCreateParse',
    needs: 'write',
    isBulk: true,
    tag,
    summary: 'Parse a file or a URL',
    description:
      'Returns the job at once; read it until its `status` is `COMPLETED`. The parameters of a ' +
      '`configuration_id` win over those in the request.',
    access: 'project',
    body: { json: clientParse },
    response: { status: 200, json: clientParseJob },
    errors: [400, 402],
    async handle({ ctx, body, request }) {
      const job = await createParseJob(ctx, toNewParseJob(body), getIdempotencyKey(request), {
        overlay: true,
      });
      return presentJob(ctx, job, await readingWarnings(ctx, job));
    },
  }),
  operation({
    method: 'post',
    path: `${path}/upload`,
    id: 'clientUploadParse',
    needs: 'write',
    isBulk: true,
    tag,
    summary: 'Upload a file and parse it',
    description:
      'Send the file as the part `file` and the parse options as JSON in the part `configuration`. ' +
      'Returns the job at once.',
    access: 'project',
    body: { multipart: clientUpload },
    response: { status: 200, json: clientParseJob },
    errors: [400, 402],
    async handle({ ctx, request }) {
      const { job, warnings } = await uploadAndParse(ctx, request);
      return presentJob(ctx, job, [...warnings, ...(await readingWarnings(ctx, job))]);
    },
  }),
  operation({
    method: 'get',
    path,
    id: 'clientListParses',
    needs: 'read',
    tag,
    summary: 'List parse jobs',
    description: 'Returns one page of the parse jobs of the project, newest first.',
    access: 'project',
    query: parseListQuery,
    response: { status: 200, json: buildPageSchema(clientParseJob).meta({ id: 'ClientParseJobPage' }) },
    async handle({ ctx, query }) {
      const page = await getJobPage<ParseJob>(ctx, 'parse', query);
      return { ...page, items: await presentJobs(ctx, page.items) };
    },
  }),
  // This route is declared before the routes with a job id, which would otherwise treat `versions` as a job
  // id.
  operation({
    method: 'get',
    path: `${path}/versions`,
    id: 'clientListParseVersions',
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
    path: one,
    id: 'clientGetParse',
    needs: 'read',
    tag,
    summary: 'Read a parse job',
    description:
      'Returns the state of the job and, with `expand`, its result. The answer warns about names in ' +
      '`expand` that are unknown.',
    access: 'resource',
    params,
    query: z.object({
      expand: z
        .array(z.string())
        .nullish()
        .describe('Parts to add to the answer. Unknown names are reported in `warnings`.'),
      image_filenames: z
        .string()
        .nullish()
        .describe('Names of images, separated by commas. Only these images are returned.'),
    }),
    response: { status: 200, json: clientParseResult },
    async handle({ ctx, params, query, request }) {
      const job = await getJob<ParseJob>(ctx, 'parse', params.job_id);
      const expand = query.expand ?? [];
      const warnings = listUnknownWarnings(expand);
      const head = { job: await presentJob(ctx, job), ...(warnings.length > 0 && { warnings }) };
      const result = findResult(ctx, job);
      if (!result) return head;
      const names = query.image_filenames?.split(',').map((name) => name.trim());
      const asked = { ctx, origin: getOrigin(request), result, images: names && new Set(names) };
      return addWarningsHeader(streamJson(ctx, objectPieces(head, expandResult(expand, asked))), warnings);
    },
  }),
  operation({
    method: 'delete',
    path: one,
    id: 'clientDeleteParse',
    needs: 'write',
    tag,
    summary: 'Delete a parse job',
    description: 'Deletes the job. The parsed pages stay with their file.',
    access: 'resource',
    params,
    response: {
      status: 200,
      json: z.object({ id: z.string(), project_id: z.string() }).meta({ id: 'ClientDeleted' }),
    },
    async handle({ ctx, params }) {
      const { id, projectId } = await getJob<ParseJob>(ctx, 'parse', params.job_id);
      await deleteJob(ctx, 'parse', id);
      return { id, project_id: projectId };
    },
  }),
  operation({
    method: 'post',
    path: `${one}/cancel`,
    id: 'clientCancelParse',
    needs: 'write',
    tag,
    summary: 'Cancel a parse job',
    description: 'Stops a job that has not ended yet. Answers 409 if the job has completed or failed.',
    access: 'resource',
    params,
    response: { status: 200, json: clientParseJob },
    handle: async ({ ctx, params }) =>
      presentJob(ctx, await cancelJob<ParseJob>(ctx, 'parse', params.job_id)),
  }),
];

/** Returns warnings about parse parameters without effect in this installation, in the clients' names. */
async function readingWarnings(ctx: Context, { projectId, configuration }: ParseJob): Promise<Warning[]> {
  const warnings = await getParsingWarnings(ctx, projectId, '', configuration);
  return warnings.map(({ field, reason }) => {
    const [name = '', ...within] = field.split('.');
    return { field: [...(findOptionPath(name) ?? [name]), ...within].join('.'), reason };
  });
}
