import { z } from 'zod';
import {
  mode,
  parsingConfiguration,
  rules,
  toParsing,
} from '#src/api/compat/legacy-classification/configuration.ts';
import { flatParameters, fromFlat } from '#src/api/compat/parse/flat-parameters.ts';
import { timestamp } from '#src/api/operation/schemas.ts';
import { classifyRule } from '#src/classification/configuration.ts';
import { BATCH_JOB_TYPES, type JobStatus } from '#src/db/schema/index.ts';
import { BadRequest } from '#src/lib/errors.ts';
import { withoutEffect } from '#src/lib/schema/effect.ts';
import { parseParameters } from '#src/parse/parameters/parameters.ts';
import type { ItemStatus } from '#src/services/jobs/batches/item-query.ts';
import type { NewBatch } from '#src/services/jobs/batches/new-batch.ts';
import { MAX_BATCH_FILES } from '#src/services/jobs/batches/select-files.ts';

export const BATCH_STATUSES = [
  'pending',
  'running',
  'dispatched',
  'completed',
  'failed',
  'cancelled',
] as const;
export type BatchStatus = (typeof BATCH_STATUSES)[number];
export const toBatchStatus = {
  PENDING: 'pending',
  RUNNING: 'running',
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
} as const satisfies Record<JobStatus, BatchStatus>;

export const FILE_STATUSES = [
  'pending',
  'processing',
  'completed',
  'failed',
  'skipped',
  'cancelled',
] as const;
export type FileStatus = (typeof FILE_STATUSES)[number];
/** A file whose job was deleted is `skipped`. */
export const toFileStatus = {
  PENDING: 'pending',
  RUNNING: 'processing',
  COMPLETED: 'completed',
  FAILED: 'failed',
  CANCELLED: 'cancelled',
  DELETED: 'skipped',
} as const satisfies Record<ItemStatus, FileStatus>;

const MODE = 'The batch reads all files of the directory at once.';

export const newBatch = z
  .object({
    directory_id: z.string().max(200).nullish().describe('Directory with the files.'),
    item_ids: z
      .array(z.string().max(200))
      .min(1)
      .max(MAX_BATCH_FILES)
      .nullish()
      .describe('Ids of files, instead of `directory_id`.'),
    job_config: z
      .object({
        job_name: z.literal('parse_raw_file_job').nullish(),
        parameters: flatParameters.nullish().describe('Parse parameters. Pages count from 0.'),
        webhook_url: parseParameters.shape.webhook_url,
        rules: rules.nullish().describe('Rules of a batch that classifies. Without rules, files are parsed.'),
        mode,
        parsing_configuration: parsingConfiguration.nullish(),
      })
      .describe('Parse parameters, or the rules of a classify job.'),
    page_size: withoutEffect(z.number().int().min(1).max(1000).nullish(), MODE),
    continue_as_new_threshold: withoutEffect(z.number().int().nullish(), MODE),
  })
  .meta({ id: 'BatchProcessingCreate' });

/** Converts a request of the older clients to a batch of the API. */
export function toNewBatch({ job_config, directory_id, item_ids }: z.output<typeof newBatch>): NewBatch {
  const files = { directory_id, file_ids: item_ids };
  const { parameters, rules, webhook_url, parsing_configuration } = job_config;
  if (!rules) {
    if (parsing_configuration) throw new BadRequest('inputs_invalid: parsing_configuration needs rules');
    const configuration = { ...fromFlat(parameters ?? {}), ...(webhook_url && { webhook_url }) };
    return { job_type: 'parse', configuration, ...files };
  }
  if (parameters) throw new BadRequest('inputs_invalid: provide either rules or parameters, and not both');
  const configuration = { rules, parsing_configuration: toParsing(parsing_configuration) };
  const webhook_configurations = webhook_url ? [{ webhook_url }] : undefined;
  return { job_type: 'classify', configuration, ...files, webhook_configurations };
}

export const batchBody = z
  .object({
    id: z.string(),
    project_id: z.string(),
    directory_id: z.string().nullable(),
    job_type: z.enum(BATCH_JOB_TYPES),
    status: z.enum(BATCH_STATUSES),
    total_items: z.int(),
    processed_items: z.int().describe('Files whose job has completed or failed.'),
    failed_items: z.int(),
    skipped_items: z.int().describe('Files whose job was deleted.'),
    error_message: z.string().nullable(),
    job_record_id: z.null(),
    workflow_id: z.null(),
    effective_at: timestamp,
    started_at: timestamp.nullable(),
    completed_at: timestamp.nullable(),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'BatchProcessingJob' });

export const itemBody = z
  .object({
    item_id: z.string(),
    item_name: z.string(),
    status: z.enum(FILE_STATUSES),
    job_id: z.string().nullable().describe('Job of the file. Null until it exists.'),
    job_record_id: z.string().nullable(),
    error_message: z.string().nullable(),
    skip_reason: z.string().nullable(),
    effective_at: timestamp,
    started_at: timestamp.nullable(),
    completed_at: timestamp.nullable(),
  })
  .meta({ id: 'BatchProcessingItem' });

export const resultsBody = z
  .object({
    item_id: z.string(),
    item_name: z.string(),
    processing_results: z.array(
      z.object({
        result_id: z.string().describe('Id of the job.'),
        item_id: z.string(),
        job_type: z.enum(BATCH_JOB_TYPES),
        job_config: z
          .object({
            job_name: z.string().nullish(),
            parameters: flatParameters.nullish(),
            id: z.string().nullish(),
            rules: z.array(classifyRule).nullish(),
            parsing_configuration: parsingConfiguration.nullish(),
            configuration: z.record(z.string(), z.unknown()).nullish().describe('Of an extract job.'),
            project_id: z.string(),
            user_id: z.string(),
            status: z.string().nullish(),
          })
          .describe('Configuration of the job, without secrets.'),
        parameters_hash: z.string(),
        output_s3_path: z
          .string()
          .describe('Location to which a parse job delivered its results, or else the path of the job.'),
        output_metadata: z.null(),
        processed_at: timestamp,
      }),
    ),
  })
  .meta({ id: 'BatchProcessingResults' });
