import { z } from 'zod';
import type { TenantContext } from '#src/context/context.ts';
import type { ExtractJob } from '#src/db/schema/index.ts';
import {
  applyExtractDefaults,
  type ExtractConfiguration,
  extractConfiguration,
} from '#src/extraction/configuration.ts';
import { resolveRelease } from '#src/extraction/releases.ts';
import { checkSchema, formatIssues } from '#src/json-schema/rules.ts';
import { BadRequest } from '#src/lib/errors.ts';
import { getLanguageModel } from '#src/services/models/language.ts';
import { webhookConfigurations } from '#src/webhook-protocol/configuration.ts';
import { listParseEndpoints } from '#src/webhook-protocol/parse-endpoints.ts';
import { chooseConfiguration, openSavedParsing } from '../configuration.ts';
import { announceJob, createJobId, insertJob, resolveEndpoints } from '../create.ts';
import { resolveInput } from '../input.ts';
import { addSavedParsing } from '../parameters.ts';
import { chooseExamples, MAX_EXAMPLES } from '../reviews/examples.ts';

/**
 * The schema is validated by the service instead, so that an invalid schema is answered with 400 and not with
 * 422.
 */
export const inlineConfiguration = extractConfiguration.extend({
  data_schema: z.record(z.string(), z.unknown()),
});

export const newExtractJob = z.object({
  file_input: z.string().min(1).max(200).describe('Id of a file or of a completed parse job.'),
  configuration: inlineConfiguration.nullish(),
  configuration_id: z.string().nullish().describe('Id of a saved configuration, instead of an inline one.'),
  webhook_configurations: webhookConfigurations.nullish(),
  webhook_configuration_ids: z.array(z.string()).nullish(),
  use_reviewed_examples: z
    .boolean()
    .nullish()
    .describe(
      `Shows the ${MAX_EXAMPLES} newest approved results of the same saved configuration to the language model.`,
    ),
  example_job_ids: z
    .array(z.string().max(200))
    .max(MAX_EXAMPLES)
    .nullish()
    .describe('Extract jobs whose approved results are shown to the language model, instead.'),
});

const inputMessages = {
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
 * Creates an extract job. `choosing` resolves to the configuration to use, and to the id of the saved
 * configuration that it is based on.
 */
export async function startExtractJob(
  ctx: TenantContext,
  choosing: Promise<{ configurationId: string | null; configuration: ExtractConfiguration }>,
  input: Omit<NewExtractJob, 'configuration' | 'configuration_id'>,
  idempotencyKey: string | null,
): Promise<ExtractJob> {
  const id = await createJobId(ctx, 'extract', idempotencyKey);
  const [chosen, source, endpoints] = await Promise.all([
    choosing,
    resolveInput(ctx, input.file_input, inputMessages),
    resolveEndpoints(ctx, input),
    announceJob(ctx, 'extract', id),
    // Throws if the project has used its daily tokens. Otherwise the job would be created and fail.
    getLanguageModel(ctx, ctx.projectId, 'extract'),
  ]);
  const configuration = resolveConfiguration(chosen.configuration);
  const parsing = await openSavedParsing(ctx, configuration.parse_config_id);
  await resolveEndpoints(ctx, {}, listParseEndpoints(parsing ?? {}));
  return insertJob<ExtractJob>(ctx, 'extract', id, endpoints, {
    fileInput: input.file_input,
    documentInputType: source.documentInputType,
    fileId: source.fileId,
    parseJobId: source.parseJob?.id ?? null,
    configuration: await addSavedParsing(ctx, id, configuration, parsing),
    configurationId: chosen.configurationId,
    exampleJobIds: await chooseExamples(ctx, input, chosen.configurationId),
  });
}

/** Throws BadRequest if the schema is invalid. The message names every broken rule. */
export function requireValidSchema(schema: unknown): void {
  const check = checkSchema(schema);
  if (!check.ok) throw new BadRequest(`schema_validation: ${formatIssues(check.issues)}`);
}

/**
 * Adds defaults and replaces `latest` or a date with the release that it refers to, so that later releases do
 * not affect the job.
 */
export function resolveConfiguration(given: ExtractConfiguration) {
  requireValidSchema(given.data_schema);
  const configuration = applyExtractDefaults(given);
  return { ...configuration, version: resolveRelease(configuration.version) };
}
