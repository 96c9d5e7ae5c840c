import { z } from 'zod';
import { parseParts } from '#src/api/http/read-input.ts';
import { operation } from '#src/api/operation/endpoint.ts';
import { idParams } from '#src/api/operation/schemas.ts';
import { getIdempotencyKey } from '#src/api/v2/jobs.schemas.ts';
import type { ExtractJob } from '#src/db/schema/index.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import { collectWarnings, withoutEffect } from '#src/lib/schema/effect.ts';
import { uuid } from '#src/lib/secrets/uuid.ts';
import { requireFile, uploadForm } from '#src/services/files/upload-form.ts';
import { findAgent, getAgentName, listAgentJobs } from '#src/services/jobs/extraction/agents.ts';
import { getJob } from '#src/services/jobs/jobs.ts';
import { dataSchema, fileId, jobBody, readObject, readSchema, resultBody, webhooks } from './bodies.ts';
import { extractConfig, priority } from './config.ts';
import { presentJob, presentJobs, presentResult } from './present.ts';
import { startJob } from './start.ts';

const MAX_FILES = 100;

const overrides = {
  data_schema_override: dataSchema.nullish(),
  config_override: extractConfig.nullish(),
  webhook_configurations: webhooks,
};
const extraction_agent_id = uuid();
const query = z.object({
  from_ui: withoutEffect(z.boolean().nullish(), 'Who asked is not kept.'),
});

const form = z.object({
  extraction_agent_id,
  file: z.string().meta({ format: 'binary' }),
  data_schema_override: z.string().nullish().describe('JSON text.'),
  config_override: z.string().nullish().describe('JSON text.'),
});

const path = '/api/v1/extraction/jobs';
const params = idParams('job_id');
const tag = 'Extraction jobs';

export const jobOperations = [
  operation({
    method: 'post',
    path,
    id: 'startExtractionJob',
    needs: 'write',
    isBulk: true,
    tag,
    summary: 'Start an extraction job',
    description:
      'Starts a job of the agent on one file. The overrides replace the schema or the configuration of ' +
      'the agent for this job.',
    access: 'resource',
    query,
    body: {
      json: z
        .object({ extraction_agent_id, file_id: fileId, priority, ...overrides })
        .meta({ id: 'ExtractJobCreate' }),
    },
    response: { status: 200, json: jobBody },
    errors: [400, 402, 404],
    async handle({ ctx, body, request }) {
      const { agent, within } = await findAgent(ctx, body.extraction_agent_id);
      const key = getIdempotencyKey(request);
      return presentJob(within, await startJob(within, agent, body.file_id, body, key), agent.name);
    },
  }),
  operation({
    method: 'post',
    path: `${path}/batch`,
    id: 'startExtractionJobs',
    needs: 'write',
    tag,
    summary: 'Start extraction jobs for several files',
    description: 'Starts one job for each file, with the schema and the configuration of the agent.',
    access: 'resource',
    query,
    body: {
      json: z
        .object({
          extraction_agent_id,
          file_ids: z.array(fileId).min(1).max(MAX_FILES),
          ...overrides,
        })
        .meta({ id: 'ExtractJobCreateBatch' }),
    },
    response: { status: 200, json: z.array(jobBody) },
    errors: [400, 402, 404],
    async handle({ ctx, body, request }) {
      const { agent, within } = await findAgent(ctx, body.extraction_agent_id);
      const key = getIdempotencyKey(request);
      const jobs = await inParallel(body.file_ids, (file) =>
        startJob(within, agent, file, body, key && `${key} ${file}`),
      );
      return presentJobs(within, jobs, agent.name);
    },
  }),
  operation({
    method: 'post',
    path: `${path}/file`,
    id: 'startExtractionJobOnUpload',
    needs: 'write',
    isBulk: true,
    tag,
    summary: 'Upload a file and start an extraction job',
    description:
      'Send the file as the part `file` and the agent as `extraction_agent_id`. The overrides are JSON ' +
      'in fields of the form.',
    access: 'resource',
    query,
    body: { multipart: form },
    response: { status: 200, json: jobBody },
    errors: [400, 402, 404],
    async handle({ ctx, request }) {
      const { file, fields } = await uploadForm(ctx, request, { fileParts: ['file'] }, async (form) => {
        requireFile(form, 'file');
        const given = readForm(form.fields);
        const found = await findAgent(ctx, given.extraction_agent_id);
        return { ...found, given, ctx: found.within };
      });
      const { within, agent, given } = fields;
      const job = await startJob(within, agent, file!.id, given, getIdempotencyKey(request));
      const warnings = collectWarnings(z.object({ extraction_agent_id, ...overrides }), given);
      return { ...(await presentJob(within, job, agent.name)), ...(warnings.length > 0 && { warnings }) };
    },
  }),
  operation({
    method: 'get',
    path,
    id: 'listExtractionJobs',
    needs: 'read',
    tag,
    summary: 'List the jobs of an extraction agent',
    description: 'Returns all jobs of the agent, newest first.',
    access: 'resource',
    query: z.object({ extraction_agent_id }),
    response: { status: 200, json: z.array(jobBody) },
    errors: [404],
    async *handle({ ctx, query }) {
      const { agent } = await findAgent(ctx, query.extraction_agent_id);
      for await (const rows of listAgentJobs(ctx, agent)) {
        yield await presentJobs(ctx, rows, agent.name);
      }
    },
  }),
  operation({
    method: 'get',
    path: `${path}/{job_id}`,
    id: 'getExtractionJob',
    needs: 'read',
    tag,
    summary: 'Read an extraction job',
    description: 'Returns the state of the job, its agent and its file.',
    access: 'resource',
    params,
    response: { status: 200, json: jobBody },
    async handle({ ctx, params }) {
      const row = await getJob<ExtractJob>(ctx, 'extract', params.job_id);
      return presentJob(ctx, row, await getAgentName(ctx, row));
    },
  }),
  operation({
    method: 'get',
    path: `${path}/{job_id}/result`,
    id: 'getExtractionJobResult',
    needs: 'read',
    tag,
    summary: 'Read the result of an extraction job',
    description: 'Returns the extracted data. `data` is null until the job has succeeded.',
    access: 'project',
    params,
    response: { status: 200, json: resultBody },
    handle: async ({ ctx, params }) =>
      presentResult(ctx, await getJob<ExtractJob>(ctx, 'extract', params.job_id)),
  }),
];

/** Reads the fields of a form. Overrides are JSON. */
function readForm(fields: Record<string, string>) {
  const { body } = parseParts({ body: { schema: form.omit({ file: true }), value: fields } });
  const { data_schema_override: schema, config_override: config, ...rest } = body as z.output<typeof form>;
  const value = config ? readObject(config, 'config_override') : null;
  const { body: read } = parseParts({
    body: {
      schema: z.object({ config_override: extractConfig.nullish() }),
      value: { config_override: value },
    },
  });
  return {
    ...rest,
    data_schema_override: schema ? readSchema(schema, 'data_schema_override') : null,
    ...(read as Pick<z.output<z.ZodObject<typeof overrides>>, 'config_override'>),
  };
}
