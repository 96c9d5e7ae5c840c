import { and, eq } from 'drizzle-orm';
import { z } from 'zod';
import {
  applyClassifyDefaults,
  type ClassifyConfiguration,
  classifyConfiguration,
} from '#src/classification/configuration.ts';
import type { TenantContext } from '#src/context/context.ts';
import { type ClassifyJob, classifyJobs } from '#src/db/schema/index.ts';
import { BadRequest } from '#src/lib/errors.ts';
import { getLanguageModel } from '#src/services/models/language.ts';
import { webhookConfigurations } from '#src/webhook-protocol/configuration.ts';
import { chooseConfiguration } from '../configuration.ts';
import { announceJob, createJobId, insertJob, resolveEndpoints } from '../create.ts';
import { type JobInput, resolveInput } from '../input.ts';

const id = z.string().max(200);

export const newClassifyJob = z.object({
  configuration: classifyConfiguration.nullish(),
  configuration_id: z.string().nullish().describe('Id of a saved configuration, instead of an inline one.'),
  file_input: z
    .string()
    .max(200)
    .nullish()
    .describe('Id of a file, id of a completed parse job, or an http(s) URL.'),
  file_id: id.nullish().meta({ deprecated: true, description: 'Use file_input.' }),
  parse_job_id: id.nullish().meta({ deprecated: true, description: 'Use file_input.' }),
  transaction_id: z
    .string()
    .max(255)
    .nullish()
    .describe('If a job of the project has this transaction id, that job is returned and no job is created.'),
  webhook_configurations: webhookConfigurations.nullish(),
  webhook_configuration_ids: z.array(z.string()).nullish(),
});

type NewClassifyJob = z.infer<typeof newClassifyJob>;

const inputMessages = {
  noFile: (id: string, ctx: TenantContext) => `File ID ${id} is not in Project ID ${ctx.projectId}`,
  noParseJob: (id: string, ctx: TenantContext) => `Parse Job ID ${id} is not in Project ID ${ctx.projectId}`,
};

export async function createClassifyJob(
  ctx: TenantContext,
  input: NewClassifyJob,
  idempotencyKey: string | null,
): Promise<ClassifyJob> {
  // An empty transaction id is treated like no transaction id.
  const transactionId = input.transaction_id || null;
  const known = await findJobByTransaction(ctx, transactionId);
  if (known) return known;
  const fileInput = chooseInput(input);
  const key = transactionId ? `transaction ${transactionId}` : idempotencyKey;
  const jobId = await createJobId(ctx, 'classify', key);
  const [chosen, source, endpoints] = await Promise.all([
    chooseConfiguration<ClassifyConfiguration>(ctx, input, { productType: 'classify_v2', name: 'Classify' }),
    resolveSource(ctx, fileInput),
    resolveEndpoints(ctx, input),
    announceJob(ctx, 'classify', jobId),
    // Throws if the project has used its daily tokens. Otherwise the job would be created and fail.
    getLanguageModel(ctx, ctx.projectId, 'classify'),
  ]);
  return insertJob<ClassifyJob>(ctx, 'classify', jobId, endpoints, {
    fileInput,
    documentInputType: source.documentInputType,
    fileId: source.fileId,
    parseJobId: source.parseJob?.id ?? null,
    configuration: applyClassifyDefaults(chosen.configuration),
    configurationId: chosen.configurationId,
    transactionId,
  });
}

export async function findJobByTransaction(ctx: TenantContext, transactionId: string | null) {
  if (!transactionId) return undefined;
  return ctx.db.query.classifyJobs.findFirst({
    where: and(eq(classifyJobs.projectId, ctx.projectId), eq(classifyJobs.transactionId, transactionId)),
  });
}

function chooseInput(input: NewClassifyJob): string {
  const given = [input.file_input, input.file_id, input.parse_job_id].filter((each) => each);
  const [only] = given;
  if (only && new Set(given).size === 1) return only;
  throw new BadRequest('inputs_invalid: provide exactly one of file_input, file_id and parse_job_id');
}

async function resolveSource(ctx: TenantContext, input: string): Promise<JobInput> {
  if (/^https?:\/\//i.test(input)) return { documentInputType: 'url', fileId: null };
  return resolveInput(ctx, input, inputMessages);
}
