import { z } from 'zod';
import type { TenantContext } from '../../context.ts';
import { BadRequest, messageOf, NotFound } from '../../errors.ts';
import { parseParameters } from '../../ingest/parsing/parameters.ts';
import {
  type ExtractConfiguration,
  extractConfiguration,
  withExtractDefaults,
} from '../../jobs/extract/configuration.ts';
import { type GeneratedConfiguration, generateConfiguration } from '../../jobs/extract/generate.ts';
import { checkSchema, schemaMessage } from '../../jobs/extract/schema-rules.ts';
import { resolveRelease } from '../../jobs/releases.ts';
import { webhookConfigurations } from '../../webhooks/configuration.ts';
import { getFile } from '../files/files.ts';
import { chooseConfiguration, openSavedParsing } from './configuration.ts';
import { endpointsOf, idForJob, startJob } from './create.ts';
import { resolveInput } from './input.ts';
import type { ExtractJob } from './kinds.ts';
import { parseForJob, readPages } from './pages.ts';

/** The schema is checked by the service: what breaks its rules is answered with 400, not 422. */
const inlineConfiguration = extractConfiguration.extend({ data_schema: z.record(z.string(), z.unknown()) });

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

export async function createExtractJob(
  ctx: TenantContext,
  input: z.infer<typeof newExtractJob>,
  idempotencyKey: string | null,
): Promise<ExtractJob> {
  const [chosen, source, endpoints, id] = await Promise.all([
    chooseConfiguration<ExtractConfiguration>(ctx, input, { productType: 'extract_v2', name: 'Extract' }),
    resolveInput(ctx, input.file_input, wording),
    endpointsOf(ctx, input),
    idForJob(ctx, 'extract', idempotencyKey),
  ]);
  const configuration = resolveConfiguration(chosen.configuration);
  await openSavedParsing(ctx, ctx.projectId, configuration.parse_config_id);
  return startJob<ExtractJob>(ctx, 'extract', id, endpoints, {
    fileInput: input.file_input,
    documentInputType: source.documentInputType,
    fileId: source.fileId,
    parseJobId: source.parseJob?.id ?? null,
    configuration,
    configurationId: chosen.configurationId,
  });
}

/** Defaults filled in and the release made concrete: what the job does from now on, whatever is released later. */
function resolveConfiguration(given: ExtractConfiguration) {
  const check = checkSchema(given.data_schema);
  if (!check.ok) throw new BadRequest(`schema_validation: ${schemaMessage(check.issues)}`);
  const configuration = withExtractDefaults(given);
  return { ...configuration, version: resolveRelease(configuration.version) };
}

export const schemaGeneration = z.object({
  name: z.string().max(255).nullish(),
  prompt: z.string().nullish(),
  file_id: z.string().nullish(),
  data_schema: z.record(z.string(), z.unknown()).nullish(),
});

/** A schema is made of the first pages: labels repeat. */
const PAGES_TO_GENERATE_FROM = 20;

export async function generateSchema(
  ctx: TenantContext,
  input: z.infer<typeof schemaGeneration>,
): Promise<GeneratedConfiguration> {
  const { name, prompt, file_id: fileId, data_schema: dataSchema } = input;
  if (!fileId) return generateConfiguration({ name, prompt, dataSchema });
  const file = await getFile(ctx, fileId).catch((error: unknown) => {
    if (error instanceof NotFound) throw new BadRequest(`inputs_invalid: ${messageOf(error)}`);
    throw error;
  });
  const { signal } = new AbortController();
  const hold = { checkpoint: async () => {}, end() {}, run: crypto.randomUUID(), signal };
  const document = await parseForJob(ctx, file.id, parseParameters.parse({}), hold);
  const pages = await readPages(ctx.bucket, document, { max_pages: PAGES_TO_GENERATE_FROM });
  return generateConfiguration({ name, prompt, dataSchema, pages, title: document.title });
}
