import { z } from 'zod';
import type { TenantContext } from '#src/context/context.ts';
import type { ExtractJob } from '#src/db/schema/index.ts';
import {
  type ExtractConfiguration,
  extractConfiguration,
  withExtractDefaults,
} from '#src/extraction/configuration.ts';
import { resolveRelease } from '#src/extraction/releases.ts';
import { checkSchema, schemaMessage } from '#src/json-schema/rules.ts';
import { BadRequest } from '#src/lib/errors.ts';
import { languageFor } from '#src/services/models/language.ts';
import { webhookConfigurations } from '#src/webhook-protocol/configuration.ts';
import { parseListeners } from '#src/webhook-protocol/parse-listeners.ts';
import { chooseConfiguration, openSavedParsing } from '../configuration.ts';
import { announceJob, endpointsOf, idForJob, recordJob } from '../create.ts';
import { resolveInput } from '../input.ts';
import { withParsing } from '../parameters.ts';

/** The service validates the schema and answers 400, not 422, for one that breaks its rules. */
export const inlineConfiguration = extractConfiguration.extend({
  data_schema: z.record(z.string(), z.unknown()),
});

export const newExtractJob = z.object({
  file_input: z.string().min(1).max(200).describe('A file id, or the id of a completed parse job.'),
  configuration: inlineConfiguration.nullish(),
  configuration_id: z.string().nullish().describe('A saved configuration, instead of an inline one.'),
  webhook_configurations: webhookConfigurations.nullish(),
  webhook_configuration_ids: z.array(z.string()).nullish(),
});

const wording = {
  noFile: (id: string) => `inputs_invalid: File ${id} not found`,
  noParseJob: (id: string) => `inputs_invalid: Parse job ${id} not found`,
};

type NewExtractJob = z.infer<typeof newExtractJob>;

export async function createExtractJob(
  ctx: TenantContext,
  input: NewExtractJob,
  idempotencyKey: string | null,
): Promise<ExtractJob> {
  const saved = { productType: 'extract_v2', name: 'Extract' } as const;
  return startExtractJob(
    ctx,
    chooseConfiguration<ExtractConfiguration>(ctx, input, saved),
    input,
    idempotencyKey,
  );
}

/**
 * Creates an extraction job. `choosing` holds the effective configuration and the saved configuration that it
 * is based on.
 */
export async function startExtractJob(
  ctx: TenantContext,
  choosing: Promise<{ configurationId: string | null; configuration: ExtractConfiguration }>,
  input: Omit<NewExtractJob, 'configuration' | 'configuration_id'>,
  idempotencyKey: string | null,
): Promise<ExtractJob> {
  const id = await idForJob(ctx, 'extract', idempotencyKey);
  const [chosen, source, endpoints] = await Promise.all([
    choosing,
    resolveInput(ctx, input.file_input, wording),
    endpointsOf(ctx, input),
    announceJob(ctx, 'extract', id),
    // Fails now instead of creating a job that fails, if the project has used its daily tokens.
    languageFor(ctx, ctx.projectId, 'extract'),
  ]);
  const configuration = resolveConfiguration(chosen.configuration);
  const parsing = await openSavedParsing(ctx, configuration.parse_config_id);
  await endpointsOf(ctx, {}, parseListeners(parsing ?? {}));
  return recordJob<ExtractJob>(ctx, 'extract', id, endpoints, {
    fileInput: input.file_input,
    documentInputType: source.documentInputType,
    fileId: source.fileId,
    parseJobId: source.parseJob?.id ?? null,
    configuration: await withParsing(ctx, id, configuration, parsing),
    configurationId: chosen.configurationId,
  });
}

/** Throws BadRequest with every rule that the schema breaks. */
export function requireValidSchema(schema: unknown): void {
  const check = checkSchema(schema);
  if (!check.ok) throw new BadRequest(`schema_validation: ${schemaMessage(check.issues)}`);
}

/**
 * Fills in defaults and replaces `latest` or a date by the release that it stands for, so that later releases
 * do not change the job.
 */
function resolveConfiguration(given: ExtractConfiguration) {
  requireValidSchema(given.data_schema);
  const configuration = withExtractDefaults(given);
  return { ...configuration, version: resolveRelease(configuration.version) };
}
