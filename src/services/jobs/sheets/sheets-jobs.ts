import { z } from 'zod';
import type { TenantContext } from '#src/context/context.ts';
import type { SheetsJob } from '#src/db/schema/index.ts';
import { BadRequest } from '#src/lib/errors.ts';
import { parseInput } from '#src/lib/schema/zod-issues.ts';
import {
  applySheetsDefaults,
  type SheetsConfiguration,
  sheetsConfiguration,
} from '#src/sheets/configuration.ts';
import { webhookConfigurations } from '#src/webhook-protocol/configuration.ts';
import { chooseConfiguration } from '../configuration.ts';
import { announceJob, createJobId, insertJob, resolveEndpoints } from '../create.ts';
import { type JobInput, resolveInput } from '../input.ts';

export const newSheetsJob = z.object({
  configuration: sheetsConfiguration.nullish(),
  configuration_id: z.string().nullish().describe('Id of a saved configuration, instead of an inline one.'),
  file_input: z.string().min(1).max(200).describe('Id of a spreadsheet file, or an http(s) URL.'),
  webhook_configurations: webhookConfigurations.nullish(),
  webhook_configuration_ids: z.array(z.string()).nullish(),
});

const inputMessages = {
  noFile: (id: string, ctx: TenantContext) => `File ID ${id} is not in Project ID ${ctx.projectId}`,
  noParseJob: (id: string, ctx: TenantContext) => `Parse Job ID ${id} is not in Project ID ${ctx.projectId}`,
};

export async function createSheetsJob(
  ctx: TenantContext,
  input: z.infer<typeof newSheetsJob>,
  idempotencyKey: string | null,
): Promise<SheetsJob> {
  const { file_input: fileInput } = input;
  const jobId = await createJobId(ctx, 'sheets', idempotencyKey);
  const given = input.configuration_id ? input : { configuration: input.configuration ?? {} };
  const [chosen, source, endpoints] = await Promise.all([
    chooseConfiguration<SheetsConfiguration>(ctx, given, { productType: 'spreadsheet_v1', name: 'Sheets' }),
    resolveSource(ctx, fileInput),
    resolveEndpoints(ctx, input),
    announceJob(ctx, 'sheets', jobId),
  ]);
  // A saved configuration is not checked before a job uses it.
  const configuration = parseInput(sheetsConfiguration, chosen.configuration, ['configuration']);
  return insertJob<SheetsJob>(ctx, 'sheets', jobId, endpoints, {
    fileInput,
    documentInputType: source.documentInputType,
    fileId: source.fileId,
    configuration: applySheetsDefaults(configuration),
    configurationId: chosen.configurationId,
  });
}

async function resolveSource(ctx: TenantContext, input: string): Promise<JobInput> {
  if (/^https?:\/\//i.test(input)) return { documentInputType: 'url', fileId: null };
  const source = await resolveInput(ctx, input, inputMessages);
  if (source.documentInputType === 'file_id') return source;
  throw new BadRequest('inputs_invalid: a sheets job reads a file, and not the pages of a parse job');
}
