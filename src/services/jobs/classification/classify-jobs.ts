import { and, eq } from 'drizzle-orm';
import { z } from 'zod';
import {
  type ClassifyConfiguration,
  classifyConfiguration,
  withClassifyDefaults,
} from '#src/classification/configuration.ts';
import type { TenantContext } from '#src/context/context.ts';
import { type ClassifyJob, classifyJobs } from '#src/db/schema/index.ts';
import { BadRequest } from '#src/lib/errors.ts';
import { languageFor } from '#src/services/models/language.ts';
import { webhookConfigurations } from '#src/webhook-protocol/configuration.ts';
import { chooseConfiguration } from '../configuration.ts';
import { announceJob, endpointsOf, idForJob, recordJob } from '../create.ts';
import { type JobInput, resolveInput } from '../input.ts';

const id = z.string().max(200);

export const newClassifyJob = z.object({
  configuration: classifyConfiguration.nullish(),
  configuration_id: z.string().nullish().describe('A saved configuration, instead of an inline one.'),
  file_input: z
    .string()
    .max(200)
    .nullish()
    .describe('A file id, the id of a completed parse job, or an http(s) URL.'),
  file_id: id.nullish().meta({ deprecated: true, description: 'Use file_input.' }),
  parse_job_id: id.nullish().meta({ deprecated: true, description: 'Use file_input.' }),
  transaction_id: z
    .string()
    .max(255)
    .nullish()
    .describe('A job with the same one in the project is returned as it is, and the body ignored.'),
  webhook_configurations: webhookConfigurations.nullish(),
  webhook_configuration_ids: z.array(z.string()).nullish(),
});

type NewClassifyJob = z.infer<typeof newClassifyJob>;

const wording = {
  noFile: (id: string, ctx: TenantContext) => `File ID ${id} is not in Project ID ${ctx.projectId}`,
  noParseJob: (id: string, ctx: TenantContext) => `Parse Job ID ${id} is not in Project ID ${ctx.projectId}`,
};

export async function createClassifyJob(
  ctx: TenantContext,
  input: NewClassifyJob,
  idempotencyKey: string | null,
): Promise<ClassifyJob> {
  // An empty transaction id counts as none.
  const transactionId = input.transaction_id || null;
  const known = await jobOfTransaction(ctx, transactionId);
  if (known) return known;
  const fileInput = inputOf(input);
  const key = transactionId ? `transaction ${transactionId}` : idempotencyKey;
  const jobId = await idForJob(ctx, 'classify', key);
  const [chosen, source, endpoints] = await Promise.all([
    chooseConfiguration<ClassifyConfiguration>(ctx, input, { productType: 'classify_v2', name: 'Classify' }),
    sourceOf(ctx, fileInput),
    endpointsOf(ctx, input),
    announceJob(ctx, 'classify', jobId),
    // Fails now instead of creating a job that fails, if the project has used its daily tokens.
    languageFor(ctx, ctx.projectId, 'classify'),
  ]);
  return recordJob<ClassifyJob>(ctx, 'classify', jobId, endpoints, {
    fileInput,
    documentInputType: source.documentInputType,
    fileId: source.fileId,
    parseJobId: source.parseJob?.id ?? null,
    configuration: withClassifyDefaults(chosen.configuration),
    configurationId: chosen.configurationId,
    transactionId,
  });
}

export async function jobOfTransaction(ctx: TenantContext, transactionId: string | null) {
  if (!transactionId) return undefined;
  return ctx.db.query.classifyJobs.findFirst({
    where: and(eq(classifyJobs.projectId, ctx.projectId), eq(classifyJobs.transactionId, transactionId)),
  });
}

function inputOf(input: NewClassifyJob): string {
  const given = [input.file_input, input.file_id, input.parse_job_id].filter((each) => each);
  const [only] = given;
  if (only && new Set(given).size === 1) return only;
  throw new BadRequest('inputs_invalid: provide exactly one of file_input, file_id and parse_job_id');
}

async function sourceOf(ctx: TenantContext, input: string): Promise<JobInput> {
  if (/^https?:\/\//i.test(input)) return { documentInputType: 'url', fileId: null };
  return resolveInput(ctx, input, wording);
}
