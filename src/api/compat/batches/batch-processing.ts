import { z } from 'zod';
import { presentParsing } from '#src/api/compat/legacy-classification/configuration.ts';
import { toFlat } from '#src/api/compat/parse/flat-parameters.ts';
import { operation } from '#src/api/operation/endpoint.ts';
import { buildPageSchema, pathId } from '#src/api/operation/schemas.ts';
import type { ClassifyConfiguration } from '#src/classification/configuration.ts';
import { BATCH_JOB_TYPES, type Batch, type ParseJob } from '#src/db/schema/index.ts';
import { bareId } from '#src/lib/ids.ts';
import {
  type CountedBatch,
  cancelBatch,
  countBatches,
  getBatch,
  getBatchPage,
  getCountedBatch,
} from '#src/services/jobs/batches/batches.ts';
import { type FileResult, listFileResults } from '#src/services/jobs/batches/file-results.ts';
import { type ItemJob, listItemJobs } from '#src/services/jobs/batches/item-jobs.ts';
import { ITEM_STATUSES } from '#src/services/jobs/batches/item-query.ts';
import { createBatch } from '#src/services/jobs/batches/new-batch.ts';
import {
  BATCH_STATUSES,
  batchBody,
  FILE_STATUSES,
  itemBody,
  newBatch,
  resultsBody,
  toBatchStatus,
  toFileStatus,
  toNewBatch,
} from './processing-schemas.ts';

const toText = (time: number | null) => (time === null ? null : new Date(time).toISOString());

function presentBatch({ batch, counts, status }: CountedBatch): z.input<typeof batchBody> {
  const { COMPLETED = 0, FAILED = 0, DELETED = 0 } = counts.status;
  const updated = (batch.finishedAt ?? batch.cancelledAt ?? batch.updatedAt).toISOString();
  return {
    id: batch.id,
    project_id: batch.projectId,
    directory_id: batch.directoryId,
    job_type: batch.jobType,
    status: toBatchStatus[status],
    total_items: batch.fileCount,
    processed_items: COMPLETED + FAILED,
    failed_items: FAILED,
    skipped_items: DELETED,
    error_message: status === 'FAILED' ? 'No file could be processed. The items have the reasons.' : null,
    job_record_id: null,
    workflow_id: null,
    effective_at: updated,
    started_at: status === 'PENDING' ? null : batch.createdAt.toISOString(),
    completed_at: batch.finishedAt?.toISOString() ?? null,
    created_at: batch.createdAt.toISOString(),
    updated_at: updated,
  };
}

function getProgress({ batch, counts }: CountedBatch): number {
  const { PENDING = 0, RUNNING = 0 } = counts.status;
  const ended = batch.fileCount - PENDING - RUNNING;
  return batch.fileCount === 0 ? 100 : Math.round((ended / batch.fileCount) * 1000) / 10;
}

function presentItem(batch: Batch, item: ItemJob): z.input<typeof itemBody> {
  const jobId = item.state === 'created' ? item.jobId : null;
  return {
    item_id: `dfl-${item.fileId}`,
    item_name: item.fileName ?? '',
    status: toFileStatus[item.status],
    job_id: jobId,
    job_record_id: jobId,
    error_message: item.errorMessage,
    skip_reason: item.status === 'DELETED' ? 'job_deleted' : null,
    effective_at: toText(item.finishedAt ?? item.startedAt) ?? batch.createdAt.toISOString(),
    started_at: toText(item.startedAt),
    completed_at: toText(item.finishedAt),
  };
}

type ResultBody = z.input<typeof resultsBody>['processing_results'][number];

function presentConfiguration({ kind, job, configuration }: FileResult): ResultBody['job_config'] {
  const owner = { project_id: job.projectId, user_id: job.userId };
  if (kind === 'parse')
    return { job_name: 'parse_raw_file_job', parameters: toFlat(configuration), ...owner };
  if (kind === 'extract') return { configuration, ...owner };
  const { rules, parsing_configuration } = configuration as ClassifyConfiguration;
  return {
    id: bareId(job.id),
    status: 'SUCCESS',
    rules,
    parsing_configuration: presentParsing(parsing_configuration as Parameters<typeof presentParsing>[0]),
    ...owner,
  };
}

function presentFileResult(fileId: string, found: FileResult): ResultBody {
  const { kind, job, configurationHash } = found;
  const delivery = kind === 'parse' ? (job as ParseJob).delivery : null;
  return {
    result_id: job.id,
    item_id: fileId,
    job_type: kind,
    job_config: presentConfiguration(found),
    parameters_hash: configurationHash,
    output_s3_path: delivery ? `s3://${delivery.bucket}/${delivery.prefix}` : `/api/v2/${kind}/${job.id}`,
    output_metadata: null,
    processed_at: (job.finishedAt ?? job.updatedAt).toISOString(),
  };
}

const path = '/api/v1/beta/batch-processing';
const one = `${path}/{job_id}` as const;
const params = z.object({ job_id: pathId('bat') });
const tag = 'Batches';
const slice = (most: number) => ({
  limit: z.number().int().min(1).max(most).nullish().describe('Maximum number of results. 100 by default.'),
  offset: z.number().int().min(0).max(1_000_000).nullish().describe('Number of results to skip.'),
});
const DEFAULT_LIMIT = 100;
/** Maximum number of batches per page. The files of each of them are counted. */
const MAX_BATCHES = 100;
const MAX_ITEMS = 1000;
const findKey = <Key extends string>(values: Partial<Record<Key, string>>, value: string) =>
  (Object.keys(values) as Key[]).find((key) => values[key] === value);

/** Batches of release 1.6 of the clients, which parse or classify files. */
export const batchProcessingOperations = [
  operation({
    method: 'post',
    path,
    id: 'createBatchProcessing',
    needs: 'write',
    tag,
    summary: 'Create a batch',
    description: 'Parses or classifies up to 1,000 files of a directory. Returns the batch at once.',
    access: 'project',
    body: { json: newBatch },
    response: { status: 201, json: batchBody },
    errors: [400, 402],
    async handle({ ctx, body }) {
      const [counted] = await countBatches(ctx, [await createBatch(ctx, toNewBatch(body))]);
      return presentBatch(counted!);
    },
  }),
  operation({
    method: 'get',
    path,
    id: 'listBatchProcessing',
    needs: 'read',
    tag,
    summary: 'List batches',
    description: 'Returns the batches of the project, newest first.',
    access: 'project',
    query: z.object({
      directory_id: z.string().max(200).nullish(),
      job_type: z.enum(BATCH_JOB_TYPES).nullish(),
      status: z.enum(BATCH_STATUSES).nullish(),
      ...slice(MAX_BATCHES),
    }),
    response: { status: 200, json: buildPageSchema(batchBody).meta({ id: 'BatchProcessingPage' }) },
    async handle({ ctx, query: { limit, status, ...query } }) {
      const page = await getBatchPage(ctx, {
        ...query,
        status: status && (findKey(toBatchStatus, status) ?? status),
        page_size: limit ?? DEFAULT_LIMIT,
      });
      return { items: page.items.map(presentBatch), next_page_token: null, total_size: page.total_size };
    },
  }),
  operation({
    method: 'get',
    path: one,
    id: 'getBatchProcessing',
    needs: 'read',
    tag,
    summary: 'Read a batch',
    description: 'Returns the state of the batch and the share of its files that have been processed.',
    access: 'resource',
    params,
    response: {
      status: 200,
      json: z
        .object({ job: batchBody, progress_percentage: z.number().min(0).max(100) })
        .meta({ id: 'BatchProcessingStatus' }),
    },
    async handle({ ctx, params }) {
      const counted = await getCountedBatch(ctx, params.job_id);
      return { job: presentBatch(counted), progress_percentage: getProgress(counted) };
    },
  }),
  operation({
    method: 'post',
    path: `${one}/cancel`,
    id: 'cancelBatchProcessing',
    needs: 'write',
    tag,
    summary: 'Cancel a batch',
    description: 'Stops the jobs that have not ended yet. Results of ended jobs stay.',
    access: 'resource',
    params,
    body: {
      json: z
        .object({ reason: z.string().max(10_000).nullish() })
        .meta({ id: 'BatchProcessingCancellation' }),
      optional: true,
    },
    response: {
      status: 200,
      json: z
        .object({
          job_id: z.string(),
          message: z.string(),
          processed_items: z.int(),
          status: z.enum(BATCH_STATUSES),
        })
        .meta({ id: 'BatchProcessingCancelled' }),
    },
    async handle({ ctx, params, body }) {
      const { id, processed_items, status } = presentBatch(await cancelBatch(ctx, params.job_id));
      const reason = body?.reason ? ` Reason: ${body.reason}` : '';
      return { job_id: id, message: `The batch is ${status}.${reason}`, processed_items, status };
    },
  }),
  operation({
    method: 'get',
    path: `${one}/items`,
    id: 'listBatchProcessingItems',
    needs: 'read',
    tag,
    summary: 'List the files of a batch',
    description: 'Returns the files of the batch with their jobs.',
    access: 'resource',
    params,
    query: z.object({ status: z.enum(FILE_STATUSES).nullish(), ...slice(MAX_ITEMS) }),
    response: { status: 200, json: buildPageSchema(itemBody).meta({ id: 'BatchProcessingItemPage' }) },
    async handle({ ctx, params, query }) {
      const batch = await getBatch(ctx, params.job_id);
      const { items, total } = await listItemJobs(ctx, batch, {
        status: query.status ? ITEM_STATUSES.find((each) => toFileStatus[each] === query.status) : undefined,
        limit: query.limit ?? DEFAULT_LIMIT,
        offset: query.offset ?? 0,
      });
      return {
        items: items.map((item) => presentItem(batch, item)),
        next_page_token: null,
        total_size: total,
      };
    },
  }),
  operation({
    method: 'get',
    path: `${path}/items/{item_id}/processing-results`,
    id: 'listProcessingResults',
    needs: 'read',
    tag,
    summary: 'List the processing results of a file',
    description:
      'Returns the newest 50 completed parse, extract and classify jobs of the file, newest first.',
    access: 'resource',
    params: z.object({ item_id: pathId('dfl') }),
    query: z.object({ job_type: z.enum(BATCH_JOB_TYPES).nullish() }),
    response: { status: 200, json: resultsBody },
    async handle({ ctx, params, query }) {
      const { file, results } = await listFileResults(ctx, params.item_id, query.job_type);
      const id = `dfl-${file.id}`;
      return {
        item_id: id,
        item_name: file.name,
        processing_results: results.map((found) => presentFileResult(id, found)),
      };
    },
  }),
];
