import { z } from 'zod';
import { CLIENT_STATUSES, type ClientStatus } from '#src/api/compat/shared/job-status.ts';
import { operation } from '#src/api/operation/endpoint.ts';
import { buildPageSchema, idParams, pageQuery, timestamp } from '#src/api/operation/schemas.ts';
import { type ClassifyConfiguration, classifyRule } from '#src/classification/configuration.ts';
import type { ClassifyJob } from '#src/db/schema/index.ts';
import { bareId } from '#src/lib/ids.ts';
import {
  type ClassifyGroup,
  createClassifyGroup,
  getClassifyGroup,
  getClassifyGroupPage,
  listGroupJobs,
} from '#src/services/jobs/classification/classify-groups.ts';
import { webhookConfigurations } from '#src/webhook-protocol/configuration.ts';
import { mode, parsingConfiguration, presentParsing, rules, toParsing } from './configuration.ts';

const MAX_FILES = 500;

const jobBody = z
  .object({
    id: z.uuid(),
    project_id: z.uuid(),
    user_id: z.string(),
    rules: z.array(classifyRule),
    mode: z.enum(['FAST', 'MULTIMODAL']),
    parsing_configuration: parsingConfiguration,
    status: z.enum(CLIENT_STATUSES),
    error_message: z.string().nullish().describe('Error message of a file that could not be classified.'),
    created_at: timestamp,
    updated_at: timestamp,
    effective_at: timestamp,
  })
  .meta({ id: 'LegacyClassifyJob' });

const itemBody = z
  .object({
    id: z.uuid(),
    classify_job_id: z.uuid(),
    file_id: z.uuid().nullish(),
    result: z
      .object({
        type: z.string().nullable().describe('Null if no rule fits.'),
        confidence: z.number().min(0).max(1),
        reasoning: z.string(),
      })
      .nullish()
      .describe('Result of the file. Null until the file is classified, and if it could not be classified.'),
    created_at: timestamp,
    updated_at: timestamp,
  })
  .meta({ id: 'FileClassification' });

/** Returns one combined status for the classify jobs of several files. */
function getStatus({ counts }: ClassifyGroup): ClientStatus {
  const { PENDING = 0, RUNNING = 0, COMPLETED = 0, FAILED = 0, CANCELLED = 0 } = counts;
  if (PENDING + RUNNING > 0) return 'PENDING';
  if (COMPLETED > 0) return FAILED + CANCELLED > 0 ? 'PARTIAL_SUCCESS' : 'SUCCESS';
  return FAILED > 0 ? 'ERROR' : 'CANCELLED';
}

function presentJob(group: ClassifyGroup): z.input<typeof jobBody> {
  const { first, updatedAt } = group;
  const configuration = first.configuration as ClassifyConfiguration;
  return {
    id: group.id,
    project_id: first.projectId,
    user_id: first.userId,
    rules: configuration.rules,
    mode: 'FAST',
    parsing_configuration: presentParsing(
      configuration.parsing_configuration as Parameters<typeof presentParsing>[0],
    ),
    status: getStatus(group),
    error_message: group.errorMessage,
    created_at: first.createdAt.toISOString(),
    updated_at: updatedAt.toISOString(),
    effective_at: updatedAt.toISOString(),
  };
}

function presentItem(row: ClassifyJob): z.input<typeof itemBody> {
  return {
    id: bareId(row.id),
    classify_job_id: row.groupId!,
    file_id: row.fileId,
    result: row.result,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

const path = '/api/v1/classifier/jobs';
const one = `${path}/{classify_job_id}` as const;
const params = idParams('classify_job_id');
const tag = 'Classifier jobs';

/**
 * Older operations that classify several files with one request, from before clients could create single
 * classify jobs.
 */
export const legacyClassificationOperations = [
  operation({
    method: 'post',
    path,
    id: 'createClassifierJob',
    needs: 'write',
    isBulk: true,
    tag,
    summary: 'Classify files',
    description: 'Decides for each file which of your rules describes it best. Returns the job at once.',
    access: 'project',
    body: {
      json: z
        .object({
          rules,
          file_ids: z.array(z.string().min(1).max(200)).min(1).max(MAX_FILES),
          mode,
          parsing_configuration: parsingConfiguration.nullish(),
          webhook_configurations: webhookConfigurations.nullish(),
        })
        .meta({ id: 'ClassifyJobCreate' }),
    },
    response: { status: 200, json: jobBody },
    errors: [400, 402],
    async handle({ ctx, body }) {
      const configuration = {
        rules: body.rules,
        parsing_configuration: toParsing(body.parsing_configuration),
      };
      const webhookConfigurations = body.webhook_configurations ?? [];
      return presentJob(
        await createClassifyGroup(ctx, { configuration, fileIds: body.file_ids, webhookConfigurations }),
      );
    },
  }),
  operation({
    method: 'get',
    path,
    id: 'listClassifierJobs',
    needs: 'read',
    tag,
    summary: 'List classifier jobs',
    description: 'Returns one page of the classifier jobs of the project, newest first.',
    access: 'project',
    query: pageQuery,
    response: { status: 200, json: buildPageSchema(jobBody).meta({ id: 'LegacyClassifyJobPage' }) },
    async handle({ ctx, query }) {
      const page = await getClassifyGroupPage(ctx, query);
      return { ...page, items: page.items.map(presentJob) };
    },
  }),
  operation({
    method: 'get',
    path: one,
    id: 'getClassifierJob',
    needs: 'read',
    tag,
    summary: 'Read a classifier job',
    description: 'Returns the state of the job. It has ended when all of its files have been classified.',
    access: 'project',
    params,
    response: { status: 200, json: jobBody },
    handle: async ({ ctx, params }) => presentJob(await getClassifyGroup(ctx, params.classify_job_id)),
  }),
  operation({
    method: 'get',
    path: `${one}/results`,
    id: 'getClassifierJobResults',
    needs: 'read',
    tag,
    summary: 'Read the results of a classifier job',
    description: 'Returns the type of each file with its confidence and reasoning, all files in one page.',
    access: 'project',
    params,
    response: { status: 200, json: buildPageSchema(itemBody).meta({ id: 'ClassifyJobResults' }) },
    async handle({ ctx, params }) {
      const rows = await listGroupJobs(ctx, params.classify_job_id);
      return { items: rows.map(presentItem), next_page_token: null, total_size: rows.length };
    },
  }),
];
