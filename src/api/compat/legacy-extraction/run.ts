import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { getIdempotencyKey } from '#src/api/v2/jobs.schemas.ts';
import type { TenantContext } from '#src/context/context.ts';
import { fileFormats } from '#src/file-formats/registry.ts';
import { BadRequest, Invalid } from '#src/lib/errors.ts';
import { storeBytes } from '#src/services/files/upload-form.ts';
import { buildDefaultAgent } from '#src/services/jobs/extraction/agents.ts';
import { dataSchema, fileId, jobBody, readSchema, webhooks } from './bodies.ts';
import { extractConfig } from './config.ts';
import { presentJob } from './present.ts';
import { startJob } from './start.ts';

const runRequest = z
  .object({
    data_schema: dataSchema,
    config: extractConfig,
    file_id: fileId.nullish(),
    text: z.string().nullish(),
    file: z
      .object({ data: z.string().describe('Content of the file in Base64.'), mime_type: z.string().max(255) })
      .nullish(),
    webhook_configurations: webhooks,
  })
  .meta({ id: 'ExtractStatelessRequest' });
type RunRequest = z.output<typeof runRequest>;

export const runOperation = operation({
  method: 'post',
  path: '/api/v1/extraction/run',
  id: 'runExtraction',
  needs: 'write',
  tag: 'Extraction jobs',
  summary: 'Extract without an agent',
  description:
    'Send one of `file_id`, `text` and `file`. A text or file is kept as a file of the project. The ' +
    'job belongs to the default agent of the project.',
  access: 'project',
  body: { json: runRequest },
  response: { status: 200, json: jobBody },
  errors: [400, 402],
  async handle({ ctx, body, request }) {
    const agent = buildDefaultAgent(ctx.projectId);
    const overrides = {
      data_schema_override: readSchema(body.data_schema),
      config_override: body.config,
      webhook_configurations: body.webhook_configurations,
    };
    const file = await storeInput(ctx, body);
    const job = await startJob(ctx, agent, file, overrides, getIdempotencyKey(request));
    return presentJob(ctx, job, agent.name);
  },
});

async function storeInput(ctx: TenantContext, { file_id, text, file }: RunRequest): Promise<string> {
  const given = [file_id, text, file].filter((each) => each !== null && each !== undefined);
  if (given.length !== 1) {
    throw new BadRequest('inputs_invalid: provide exactly one of file_id, text and file');
  }
  if (file_id) return file_id;
  if (!file) return (await storeBytes(ctx, 'text.txt', new TextEncoder().encode(text!), 'text/plain')).id;
  const type = file.mime_type.split(';')[0]!.trim().toLowerCase();
  const format = fileFormats.find(({ mediaTypes }) => mediaTypes.includes(type));
  const name = format ? `file.${format.extensions[0]}` : 'file';
  return (await storeBytes(ctx, name, decode(file.data), format ? type : null)).id;
}

function decode(base64: string): Uint8Array {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    throw Invalid.field(['body', 'file', 'data'], 'Input should be base64', 'base64_invalid');
  }
}
