import { z } from 'zod';
import { expandField } from '#src/api/http/expand.ts';
import { encodePieces, streamResponse } from '#src/api/http/stream-pieces.ts';
import { operation } from '#src/api/operation/endpoint.ts';
import { buildPageSchema, pathId } from '#src/api/operation/schemas.ts';
import { buildContentDisposition } from '#src/bucket/content-disposition.ts';
import { BATCH_JOB_TYPES } from '#src/db/schema/index.ts';
import {
  cancelBatch,
  countBatches,
  deleteBatch,
  getBatch,
  getBatchPage,
  getCountedBatch,
  retryBatch,
} from '#src/services/jobs/batches/batches.ts';
import { ITEM_STATUSES, REVIEW_STATES } from '#src/services/jobs/batches/item-query.ts';
import { getItemPage, readItemResults } from '#src/services/jobs/batches/items.ts';
import { createBatch, newBatch } from '#src/services/jobs/batches/new-batch.ts';
import {
  iterateResults,
  RESULT_FORMATS,
  RESULT_TYPES,
  RESULT_VALUES,
} from '#src/services/jobs/batches/results.ts';
import { batchBody, batchItemBody, presentBatch, presentItem } from './batches.schemas.ts';

const params = z.object({ batch_id: pathId('bat') });
const tag = 'Batches';
const pageToken = z
  .string()
  .nullish()
  .describe('The `next_page_token` of the previous page. Absent for the first page.');
const MAX_PAGE = 50;
const pageSize = z.number().int().min(1).max(MAX_PAGE).nullish();

export const batchOperations = [
  operation({
    method: 'post',
    path: '/api/v2/batches',
    id: 'createBatch',
    needs: 'write',
    tag,
    summary: 'Create a batch',
    description:
      'Extracts, classifies or parses up to 1,000 files with one configuration. Returns the batch at once. ' +
      'Its jobs are created afterwards, and jobs that you create one by one start before them.',
    access: 'project',
    body: { json: newBatch },
    response: { status: 200, json: batchBody },
    errors: [400, 402],
    async handle({ ctx, body }) {
      const [counted] = await countBatches(ctx, [await createBatch(ctx, body)]);
      return presentBatch(counted!);
    },
  }),
  operation({
    method: 'get',
    path: '/api/v2/batches',
    id: 'listBatches',
    needs: 'read',
    tag,
    summary: 'List batches',
    description: 'Returns one page of the batches of the project, newest first.',
    access: 'project',
    query: z.object({
      job_type: z.enum(BATCH_JOB_TYPES).nullish().describe('Only batches with this kind of jobs.'),
      page_size: pageSize.describe('Maximum number of batches per page.'),
      page_token: pageToken,
    }),
    response: { status: 200, json: buildPageSchema(batchBody).meta({ id: 'BatchPage' }) },
    async handle({ ctx, query }) {
      const page = await getBatchPage(ctx, query);
      const items = page.items.map((counted) => ({ ...presentBatch(counted), configuration: null }));
      return { ...page, items };
    },
  }),
  operation({
    method: 'get',
    path: '/api/v2/batches/{batch_id}',
    id: 'getBatch',
    needs: 'read',
    tag,
    summary: 'Read a batch',
    description: 'Returns the batch with the number of files by status and by state of the review.',
    access: 'resource',
    params,
    response: { status: 200, json: batchBody },
    handle: async ({ ctx, params }) => presentBatch(await getCountedBatch(ctx, params.batch_id)),
  }),
  operation({
    method: 'get',
    path: '/api/v2/batches/{batch_id}/items',
    id: 'listBatchItems',
    needs: 'read',
    tag,
    summary: 'List the files of a batch',
    description: 'Returns one page of the files of the batch, with their jobs and reviews.',
    access: 'resource',
    params,
    query: z.object({
      status: z.enum(ITEM_STATUSES).nullish().describe('Only files whose job has this status.'),
      review_state: z.enum(REVIEW_STATES).nullish().describe('Only files whose review has this state.'),
      confidence_below: z
        .number()
        .min(0)
        .max(1)
        .nullish()
        .describe('Only files with a value whose confidence is lower than this.'),
      page_size: pageSize.describe('Maximum number of files per page.'),
      page_token: pageToken,
      expand: expandField(['result'], 'Which further members an item has.'),
    }),
    response: { status: 200, json: buildPageSchema(batchItemBody).meta({ id: 'BatchItemPage' }) },
    async handle({ ctx, params, query }) {
      const batch = await getBatch(ctx, params.batch_id);
      const page = await getItemPage(ctx, batch, query);
      const isExpanded = query.expand?.includes('result') ?? false;
      const results = isExpanded ? await readItemResults(ctx, batch, page.items) : new Map();
      return {
        ...page,
        items: page.items.map((item) => presentItem(item, results.get(item.jobId), isExpanded)),
      };
    },
  }),
  operation({
    method: 'get',
    path: '/api/v2/batches/{batch_id}/results',
    id: 'exportBatchResults',
    needs: 'read',
    tag,
    summary: 'Export the results of a batch',
    description:
      'Streams the results of all files. In CSV, nested fields are columns with names joined by dots, lists ' +
      'of single values are joined by "; ", and other lists are JSON. Text that a spreadsheet program could ' +
      'run as a formula is preceded by an apostrophe.',
    access: 'resource',
    params,
    query: z.object({
      format: z.enum(RESULT_FORMATS).nullish().describe('`jsonl` by default: one JSON object per line.'),
      values: z
        .enum(RESULT_VALUES)
        .nullish()
        .describe(
          '`reviewed` by default: with corrections. `extracted` is without, and `approved` has approved files only.',
        ),
    }),
    response: {
      status: 200,
      description: 'The results, file by file.',
      content: {
        'application/jsonl': z.string(),
        'text/csv': z.string(),
        'application/json': z.array(z.record(z.string(), z.unknown())),
      },
    },
    async handle({ ctx, params, query }) {
      const batch = await getBatch(ctx, params.batch_id);
      const { format, values } = {
        format: query.format ?? 'jsonl',
        values: query.values ?? 'reviewed',
      } as const;
      return streamResponse(ctx, encodePieces(iterateResults(ctx, batch, { format, values })), {
        'content-type': RESULT_TYPES[format],
        'content-disposition': buildContentDisposition('attachment', `${batch.name}.${format}`),
        'x-content-type-options': 'nosniff',
      });
    },
  }),
  operation({
    method: 'post',
    path: '/api/v2/batches/{batch_id}/cancel',
    id: 'cancelBatch',
    needs: 'write',
    tag,
    summary: 'Cancel a batch',
    description: 'Stops the jobs that have not ended yet. Results of ended jobs stay.',
    access: 'resource',
    params,
    response: { status: 200, json: batchBody },
    handle: async ({ ctx, params }) => presentBatch(await cancelBatch(ctx, params.batch_id)),
  }),
  operation({
    method: 'post',
    path: '/api/v2/batches/{batch_id}/retry',
    id: 'retryBatch',
    needs: 'write',
    tag,
    summary: 'Retry the failed files of a batch',
    description: 'Creates new jobs for the files whose jobs have failed, were cancelled or were deleted.',
    access: 'resource',
    params,
    response: { status: 200, json: batchBody },
    handle: async ({ ctx, params }) => presentBatch(await retryBatch(ctx, params.batch_id)),
  }),
  operation({
    method: 'delete',
    path: '/api/v2/batches/{batch_id}',
    id: 'deleteBatch',
    needs: 'write',
    tag,
    summary: 'Delete a batch',
    description: 'Deletes the batch with its jobs, results and reviews. The files stay.',
    access: 'resource',
    params,
    response: { status: 204 },
    handle: ({ ctx, params }) => deleteBatch(ctx, params.batch_id),
  }),
];
