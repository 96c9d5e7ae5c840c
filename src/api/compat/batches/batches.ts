import { z } from 'zod';
import { expandField } from '#src/api/http/expand.ts';
import { operation } from '#src/api/operation/endpoint.ts';
import { buildPageSchema, pageQuery, pathId, timestamp } from '#src/api/operation/schemas.ts';
import type { TenantContext } from '#src/context/context.ts';
import type { Batch, BatchJobType } from '#src/db/schema/index.ts';
import { PARSE_TIERS } from '#src/parse/versions.ts';
import {
  type CountedBatch,
  cancelBatch,
  countBatches,
  getBatchPage,
  getCountedBatch,
} from '#src/services/jobs/batches/batches.ts';
import { type ItemJob, listItemJobs } from '#src/services/jobs/batches/item-jobs.ts';
import { createBatch } from '#src/services/jobs/batches/new-batch.ts';
import { webhookConfigurations } from '#src/webhook-protocol/configuration.ts';

const TYPES = ['parse_v2', 'extract_v2', 'classify_v2'] as const;
type ClientType = (typeof TYPES)[number];
const toClientType = {
  parse: 'parse_v2',
  extract: 'extract_v2',
  classify: 'classify_v2',
} as const satisfies Record<BatchJobType, ClientType>;
const toJobType = {
  parse_v2: 'parse',
  extract_v2: 'extract',
  classify_v2: 'classify',
} as const satisfies Record<ClientType, BatchJobType>;
const STATUSES = ['PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED', 'THROTTLED'] as const;

const newBatch = z
  .object({
    config: z.object({
      job: z.object({
        type: z.enum(TYPES),
        configuration_id: z
          .string()
          .min(1)
          .max(200)
          .describe('Id of a saved configuration, or the name of a parse tier such as `cfg-PARSE_AGENTIC`.'),
      }),
    }),
    source_directory_id: z.string().min(1).max(200),
    webhook_configurations: webhookConfigurations.nullish(),
    webhook_configuration_ids: z.array(z.string()).nullish(),
  })
  .meta({ id: 'ClientBatchCreate' });

const reference = z.object({ type: z.enum(TYPES), id: z.string() });
const batchBody = z
  .object({
    id: z.string(),
    project_id: z.string(),
    source_directory_id: z
      .string()
      .nullable()
      .describe('Null for a batch whose files were named one by one.'),
    config: z.object({
      job: z.object({
        type: z.enum(TYPES),
        configuration_id: z.string().nullable().describe('Null for a batch with an inline configuration.'),
      }),
    }),
    status: z.enum(STATUSES),
    results: z
      .array(
        z.object({
          source_directory_file_id: z.string(),
          job_reference: reference.nullable().describe('Null if the file has no job.'),
          error_message: z.string().nullable().describe('Reason why the file has no job.'),
        }),
      )
      .nullable()
      .describe('Jobs of the files, with `expand=results`. Null until all jobs have ended.'),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'ClientBatch' });

const PRESET = /^cfg-parse_([a-z_]+)$/i;

/** Returns the tier that the id of a built-in configuration of LlamaCloud names, such as `cfg-PARSE_AGENTIC`. */
function findTier(type: ClientType, configurationId: string) {
  const name = PRESET.exec(configurationId)?.[1]?.toLowerCase();
  return type === 'parse_v2' ? PARSE_TIERS.find((tier) => tier === name) : undefined;
}

/** Returns the id of the saved configuration or the built-in one. Null for other inline configurations. */
function getConfigurationId({ jobType, configurationId, configuration }: Batch): string | null {
  const { tier } = configuration;
  if (configurationId || jobType !== 'parse' || typeof tier !== 'string') return configurationId;
  return `cfg-PARSE_${tier.toUpperCase()}`;
}

function presentResult(type: ClientType, { fileId, jobId, state, status, errorMessage }: ItemJob) {
  const hasJob = state === 'created' && status !== 'DELETED';
  const why = status === 'DELETED' ? 'The job was deleted.' : errorMessage;
  return {
    source_directory_file_id: `dfl-${fileId}`,
    job_reference: hasJob ? { type, id: jobId } : null,
    error_message: hasJob ? null : why,
  };
}

function presentBatch({ batch, status }: CountedBatch, items?: ItemJob[]): z.input<typeof batchBody> {
  const type = toClientType[batch.jobType];
  return {
    id: batch.id,
    project_id: batch.projectId,
    source_directory_id: batch.directoryId,
    config: { job: { type, configuration_id: getConfigurationId(batch) } },
    status,
    results: items?.map((item) => presentResult(type, item)) ?? null,
    created_at: batch.createdAt.toISOString(),
    updated_at: batch.updatedAt.toISOString(),
  };
}

async function createClientBatch(ctx: TenantContext, body: z.output<typeof newBatch>) {
  const { type, configuration_id } = body.config.job;
  const tier = findTier(type, configuration_id);
  const shared = {
    directory_id: body.source_directory_id,
    webhook_configurations: body.webhook_configurations,
    webhook_configuration_ids: body.webhook_configuration_ids,
  };
  const batch = await createBatch(
    ctx,
    tier
      ? { job_type: 'parse', configuration: { tier, version: 'latest' }, ...shared }
      : { job_type: toJobType[type], configuration_id, ...shared },
  );
  const [counted] = await countBatches(ctx, [batch]);
  return presentBatch(counted!);
}

const path = '/api/v2/batches';
const params = z.object({ batch_id: pathId('bat') });
const moment = z.iso.datetime({ offset: true, local: true }).nullish();
const tag = 'Batches';

/** Batches of the newer clients, which process the files of a directory with a saved configuration. */
export const clientBatchOperations = [
  operation({
    method: 'post',
    path,
    id: 'clientCreateBatch',
    tag,
    summary: 'Create a batch',
    description:
      'Processes up to 1,000 files of a directory with one configuration. Returns the batch at once.',
    access: 'project',
    body: { json: newBatch },
    response: { status: 201, json: batchBody },
    errors: [400, 402],
    handle: ({ ctx, body }) => createClientBatch(ctx, body),
  }),
  operation({
    method: 'get',
    path,
    id: 'clientListBatches',
    tag,
    summary: 'List batches',
    description: 'Returns one page of the batches of the project, newest first.',
    access: 'project',
    query: pageQuery.extend({
      source_directory_id: z.string().max(200).nullish(),
      status: z.enum(STATUSES).nullish(),
      created_at_on_or_after: moment,
      created_at_on_or_before: moment,
    }),
    response: { status: 200, json: buildPageSchema(batchBody).meta({ id: 'ClientBatchPage' }) },
    async handle({ ctx, query: { source_directory_id, ...query } }) {
      const page = await getBatchPage(ctx, { ...query, directory_id: source_directory_id });
      return { ...page, items: page.items.map((counted) => presentBatch(counted)) };
    },
  }),
  operation({
    method: 'get',
    path: `${path}/{batch_id}`,
    id: 'clientGetBatch',
    tag,
    summary: 'Read a batch',
    description: 'Returns the state of the batch and, with `expand=results`, the job of each file.',
    access: 'resource',
    params,
    query: z.object({ expand: expandField(['results'], 'Which further members the batch has.') }),
    response: { status: 200, json: batchBody },
    async handle({ ctx, params, query }) {
      const counted = await getCountedBatch(ctx, params.batch_id);
      const isOpen = counted.status === 'PENDING' || counted.status === 'RUNNING';
      if (isOpen || !query.expand?.includes('results')) return presentBatch(counted);
      return presentBatch(counted, (await listItemJobs(ctx, counted.batch)).items);
    },
  }),
  operation({
    method: 'post',
    path: `${path}/{batch_id}/cancel`,
    id: 'clientCancelBatch',
    tag,
    summary: 'Cancel a batch',
    description: 'Stops the jobs that have not ended yet. Results of ended jobs stay.',
    access: 'resource',
    params,
    response: { status: 200, json: batchBody },
    handle: async ({ ctx, params }) => presentBatch(await cancelBatch(ctx, params.batch_id)),
  }),
];
