import { z } from 'zod';
import {
  applySplitDefaults,
  type SplitConfiguration,
  splitConfiguration,
} from '#src/classification/splitting/configuration.ts';
import type { TenantContext } from '#src/context/context.ts';
import type { SplitJob } from '#src/db/schema/index.ts';
import { parseInput } from '#src/lib/schema/zod-issues.ts';
import { getLanguageModel } from '#src/services/models/language.ts';
import { webhookConfigurations } from '#src/webhook-protocol/configuration.ts';
import { chooseConfiguration } from '../configuration.ts';
import { announceJob, createJobId, insertJob, resolveEndpoints } from '../create.ts';
import { type JobInput, resolveInput } from '../input.ts';

export const newSplitJob = z.object({
  configuration: splitConfiguration.nullish(),
  configuration_id: z.string().nullish().describe('Id of a saved configuration, instead of an inline one.'),
  file_input: z
    .string()
    .min(1)
    .max(200)
    .describe('Id of a file, id of a completed parse job, or an http(s) URL.'),
  webhook_configurations: webhookConfigurations.nullish(),
  webhook_configuration_ids: z.array(z.string()).nullish(),
});

const inputMessages = {
  noFile: (id: string, ctx: TenantContext) => `File ID ${id} is not in Project ID ${ctx.projectId}`,
  noParseJob: (id: string, ctx: TenantContext) => `Parse Job ID ${id} is not in Project ID ${ctx.projectId}`,
};

export async function createSplitJob(
  ctx: TenantContext,
  input: z.infer<typeof newSplitJob>,
  idempotencyKey: string | null,
): Promise<SplitJob> {
  const { file_input: fileInput } = input;
  const jobId = await createJobId(ctx, 'split', idempotencyKey);
  const [chosen, source, endpoints] = await Promise.all([
    chooseConfiguration<SplitConfiguration>(ctx, input, { productType: 'split_v1', name: 'Split' }),
    resolveSource(ctx, fileInput),
    resolveEndpoints(ctx, input),
    announceJob(ctx, 'split', jobId),
    // Throws if the project has used its daily tokens. Otherwise the job would be created and fail.
    getLanguageModel(ctx, ctx.projectId, 'classify'),
  ]);
  // A saved configuration is not checked before a job uses it.
  const configuration = parseInput(splitConfiguration, chosen.configuration, ['configuration']);
  return insertJob<SplitJob>(ctx, 'split', jobId, endpoints, {
    fileInput,
    documentInputType: source.documentInputType,
    fileId: source.fileId,
    parseJobId: source.parseJob?.id ?? null,
    configuration: applySplitDefaults(configuration),
    configurationId: chosen.configurationId,
  });
}

async function resolveSource(ctx: TenantContext, input: string): Promise<JobInput> {
  if (/^https?:\/\//i.test(input)) return { documentInputType: 'url', fileId: null };
  return resolveInput(ctx, input, inputMessages);
}
