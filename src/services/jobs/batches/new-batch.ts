import { and, eq, sql } from 'drizzle-orm';
import { z } from 'zod';
import { applyClassifyDefaults, classifyConfiguration } from '#src/classification/configuration.ts';
import type { TenantContext } from '#src/context/context.ts';
import { type Batch, batches, batchItems } from '#src/db/schema/index.ts';
import type { ExtractConfiguration } from '#src/extraction/configuration.ts';
import { BadRequest, Conflict } from '#src/lib/errors.ts';
import { bareId, derivedId, newId } from '#src/lib/ids.ts';
import { type ParseParameters, parseParameters } from '#src/parse/parameters/parameters.ts';
import { getLanguageModel } from '#src/services/models/language.ts';
import { rejectPrivateAddresses } from '#src/services/secrets/private-addresses.ts';
import { sealJobWebhooks } from '#src/services/webhooks/secrets.ts';
import { type WebhookConfiguration, webhookConfigurations } from '#src/webhook-protocol/configuration.ts';
import { listParseEndpoints } from '#src/webhook-protocol/parse-endpoints.ts';
import { chooseConfiguration, openSavedParsing } from '../configuration.ts';
import { resolveEndpoints } from '../create.ts';
import { inlineConfiguration, resolveConfiguration } from '../extraction/extract-jobs.ts';
import { ID_PREFIX } from '../kinds.ts';
import { addSavedParsing, sealJobParameters } from '../parameters.ts';
import { chooseParseConfiguration, omitUnset, refuseOutput } from '../parse/parse-jobs.ts';
import { FILE_STATUSES, MAX_BATCH_FILES, selectFiles } from './select-files.ts';

const common = {
  name: z.string().trim().min(1).max(255).nullish().describe('Defaults to the kind of jobs and the date.'),
  file_ids: z
    .array(z.string().max(200))
    .min(1)
    .max(MAX_BATCH_FILES)
    .nullish()
    .describe('Ids of the files. Provide either this, `pipeline_id` or `directory_id`.'),
  pipeline_id: z
    .string()
    .max(200)
    .nullish()
    .describe(`Id of a pipeline with at most ${MAX_BATCH_FILES} files, which the batch processes.`),
  directory_id: z
    .string()
    .max(200)
    .nullish()
    .describe(`Id of a directory with at most ${MAX_BATCH_FILES} files, which the batch processes.`),
  pipeline_file_status: z
    .enum(FILE_STATUSES)
    .nullish()
    .describe('Only files of the pipeline with this status.'),
  configuration_id: z.string().nullish().describe('Id of a saved configuration, instead of an inline one.'),
  transaction_id: z
    .string()
    .max(255)
    .nullish()
    .describe('If a batch of the project has this transaction id, that batch is returned.'),
  webhook_configurations: webhookConfigurations
    .nullish()
    .describe('Notified about each job of the batch, and once about its end.'),
  webhook_configuration_ids: z.array(z.string()).nullish(),
};

export const newBatch = z.discriminatedUnion('job_type', [
  z.object({
    job_type: z.literal('extract'),
    configuration: inlineConfiguration.nullish(),
    ...common,
  }),
  z.object({
    job_type: z.literal('classify'),
    configuration: classifyConfiguration.nullish(),
    ...common,
  }),
  z.object({ job_type: z.literal('parse'), configuration: parseParameters.nullish(), ...common }),
]);
export type NewBatch = z.infer<typeof newBatch>;

interface ResolvedSettings {
  configurationId: string | null;
  configuration: Record<string, unknown>;
  endpoints: WebhookConfiguration[];
}

/**
 * Records a batch and its files, and returns before its jobs are created. The job intake of the project
 * creates the jobs afterwards, and continues after a crash.
 */
export async function createBatch(ctx: TenantContext, input: NewBatch): Promise<Batch> {
  const transactionId = input.transaction_id || null;
  const known = await findByTransaction(ctx, transactionId);
  if (known) return known;
  const uuid = transactionId ? await derivedId('batch', ctx.projectId, transactionId) : bareId(newId());
  const id = `bat-${uuid}`;
  const [{ fileIds, directoryId }, settings] = await Promise.all([
    selectFiles(ctx, input),
    resolveSettings(ctx, id, input),
  ]);
  const now = new Date();
  const batch: typeof batches.$inferInsert = {
    id,
    projectId: ctx.projectId,
    userId: ctx.actor.userId,
    jobType: input.job_type,
    name: input.name ?? `${input.job_type} ${now.toISOString().slice(0, 16).replace('T', ' ')}`,
    configuration: settings.configuration,
    configurationId: settings.configurationId,
    webhookConfigurations: await sealJobWebhooks(ctx, id, settings.endpoints),
    transactionId,
    fileCount: fileIds.length,
    directoryId,
    createdAt: now,
    updatedAt: now,
  };
  await ctx.objects.jobIntake(ctx.projectId).advanceBatch(id);
  const items = fileIds.map((fileId) => [fileId, newId(ID_PREFIX[input.job_type])]);
  await ctx.db.batch([
    ctx.db.insert(batches).values(batch).onConflictDoNothing(),
    // Only the first of two concurrent requests with one transaction id inserts its files.
    ctx.db.insert(batchItems).select(sql`select ${id}, ${ctx.projectId}, cast(key as integer), value ->> 0,
      value ->> 1, 'waiting', null from json_each(${JSON.stringify(items)})
      where not exists (select 1 from batch_items where batch_id = ${id})`),
  ]);
  const row = await ctx.db.query.batches.findFirst({ where: eq(batches.id, id) });
  return requireVisible(row!);
}

async function findByTransaction(ctx: TenantContext, transactionId: string | null) {
  if (!transactionId) return undefined;
  const row = await ctx.db.query.batches.findFirst({
    where: and(eq(batches.projectId, ctx.projectId), eq(batches.transactionId, transactionId)),
  });
  return row && requireVisible(row);
}

function requireVisible(batch: Batch): Batch {
  if (!batch.deletedAt) return batch;
  throw new Conflict('The batch with this transaction_id is being deleted. Use another transaction_id.');
}

/** Returns the configuration that all jobs of the batch use, with secrets bound to the batch. */
async function resolveSettings(ctx: TenantContext, id: string, input: NewBatch): Promise<ResolvedSettings> {
  if (input.job_type === 'parse') return resolveParseSettings(ctx, id, input);
  const { job_type: type } = input;
  // Throws if the project has used its daily tokens. Otherwise the jobs would be created and fail.
  await getLanguageModel(ctx, ctx.projectId, type);
  const endpoints = await resolveEndpoints(ctx, input);
  if (type === 'classify') {
    const saved = { productType: 'classify_v2', name: 'Classify' } as const;
    const chosen = await chooseConfiguration(ctx, input, saved);
    return { ...chosen, configuration: applyClassifyDefaults(chosen.configuration), endpoints };
  }
  const saved = { productType: 'extract_v2', name: 'Extract' } as const;
  const chosen = await chooseConfiguration<ExtractConfiguration>(ctx, input, saved);
  const configuration = resolveConfiguration(chosen.configuration);
  const parsing = await openSavedParsing(ctx, configuration.parse_config_id);
  await resolveEndpoints(ctx, {}, listParseEndpoints(parsing ?? {}));
  const stored = { ...(await addSavedParsing(ctx, id, configuration, parsing)) };
  return { ...chosen, configuration: stored, endpoints };
}

async function resolveParseSettings(
  ctx: TenantContext,
  id: string,
  input: NewBatch & { job_type: 'parse' },
): Promise<ResolvedSettings> {
  const chosen = await chooseParseConfiguration(ctx, input, false);
  rejectPrivateAddresses(ctx, parseParameters, chosen.parameters, ['body', 'configuration']);
  const { webhook_configurations, ...parameters } = chosen.parameters as ParseParameters;
  if (parameters.input_url || parameters.input_bucket_path) {
    throw new BadRequest('inputs_invalid: the parse parameters of a batch cannot name an input');
  }
  await refuseOutput(ctx, input, parameters);
  const listeners = listParseEndpoints({ ...parameters, webhook_configurations });
  return {
    configurationId: chosen.id,
    configuration: await sealJobParameters(ctx, id, omitUnset(parameters)),
    endpoints: await resolveEndpoints(ctx, input, listeners),
  };
}
