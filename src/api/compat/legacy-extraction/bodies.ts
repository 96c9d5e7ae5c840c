import { z } from 'zod';
import { CLIENT_STATUSES } from '#src/api/compat/shared/job-status.ts';
import { timestamp } from '#src/api/operation/schemas.ts';
import { fileBody } from '#src/api/v1/files/files.ts';
import { Invalid } from '#src/lib/errors.ts';
import { webhookConfigurations } from '#src/webhook-protocol/configuration.ts';
import { extractConfig } from './config.ts';

const map = z.record(z.string(), z.unknown());

/** Extraction schema in a request, as an object or as JSON text. */
export const dataSchema = z.union([map, z.string()]);
/** Extraction schema in a response, always as an object. */
export const schemaBody = map;

export function readSchema(
  given: z.output<typeof dataSchema>,
  name = 'data_schema',
): Record<string, unknown> {
  return typeof given === 'string' ? readObject(given, name) : given;
}

/** Parses a form field whose text is a JSON object. */
export function readObject(text: string, name: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  } catch {
    // Invalid JSON is reported by the error below, like any other value that is not an object.
  }
  throw Invalid.field(['body', name], 'Input should be a JSON object', 'json_invalid');
}

export const fileId = z.string().min(1).max(200);
export const webhooks = webhookConfigurations.nullish();

export const agentBody = z
  .object({
    id: z.uuid(),
    name: z.string(),
    project_id: z.uuid(),
    data_schema: schemaBody,
    config: extractConfig,
    custom_configuration: z
      .literal('default')
      .nullish()
      .describe('Whether this is the default agent of the project.'),
    created_at: timestamp.nullish(),
    updated_at: timestamp.nullish(),
  })
  .meta({ id: 'ExtractAgent' });

/** Older clients cannot parse a job without the field `file`. */
const file = fileBody.nullish().describe('Null after the agent has been deleted.');

export const jobBody = z
  .object({
    id: z.uuid(),
    extraction_agent: agentBody,
    status: z.enum(CLIENT_STATUSES),
    error: z.string().nullish(),
    file_id: z.uuid().nullish(),
    file,
  })
  .meta({ id: 'LegacyExtractJob' });

const data = z.union([map, z.array(map)]).nullable();

export const resultBody = z
  .object({ run_id: z.uuid(), extraction_agent_id: z.uuid(), data, extraction_metadata: map })
  .meta({ id: 'ExtractResultset' });

export const runBody = z
  .object({
    id: z.uuid(),
    created_at: timestamp.nullish(),
    updated_at: timestamp.nullish(),
    project_id: z.uuid(),
    extraction_agent_id: z.uuid(),
    data_schema: schemaBody,
    config: extractConfig,
    file_id: z.uuid().nullish(),
    file,
    status: z.enum(['CREATED', 'PENDING', 'SUCCESS', 'ERROR']),
    error: z.string().nullish(),
    job_id: z.uuid().nullish(),
    data: data.nullish(),
    extraction_metadata: map.nullish(),
    from_ui: z.boolean(),
  })
  .meta({ id: 'ExtractRun' });
