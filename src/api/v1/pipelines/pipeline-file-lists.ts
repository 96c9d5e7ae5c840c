import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { buildPageSchema, pageQuery } from '#src/api/operation/schemas.ts';
import { MAX_NAME_PART_CHARACTERS } from '#src/db/contains.ts';
import { uuid } from '#src/lib/secrets/uuid.ts';
import { countFailuresByReason } from '#src/services/pipelines/pipeline-file-failures.ts';
import {
  countFilesByStatus,
  getPipelineFileOffsetPage,
  getPipelineFilePage,
} from '#src/services/pipelines/pipeline-file-lists.ts';
import { statusCountsBody, withEveryStatus } from './pipeline-files.schemas.ts';
import { pipelineFileBody, presentPipelineFile } from './pipeline-files.ts';
import { ingestionStatus, ingestionStep } from './pipelines.schemas.ts';
import { pipelineParams } from './pipelines.ts';

const ofSource = z.object({
  data_source_id: uuid().nullish(),
  only_manually_uploaded: z.boolean().nullish().describe('Leaves out files of data sources.'),
});

export const pipelineFileFilter = ofSource.extend({
  file_name_contains: z
    .string()
    .max(MAX_NAME_PART_CHARACTERS)
    .nullish()
    .describe('Part of the name, ignoring case.'),
  statuses: z.array(ingestionStatus).nullish().describe('Only files in one of these states.'),
  reason: z.string().max(20_000).nullish().describe('Only files that failed with exactly this message.'),
});

const failuresBody = z
  .object({
    pipeline_id: z.uuid(),
    reasons: z
      .array(z.object({ reason: z.string(), step: ingestionStep.nullish(), count: z.number().int() }))
      .describe('Reasons by number of files, at most a hundred. Lists accept a `reason` as a filter.'),
    total_count: z
      .number()
      .int()
      .describe('Number of files in the state ERROR, including reasons that are not listed.'),
  })
  .meta({ id: 'FileFailures' });

const tag = 'Pipeline files';

export const pipelineFileListOperations = [
  operation({
    method: 'get',
    path: '/api/v1/pipelines/{pipeline_id}/files2',
    id: 'pagePipelineFiles',
    needs: 'read',
    tag,
    summary: 'List the files of a pipeline with filters',
    description:
      'Returns the files from `offset` on, filtered by status, name or data source, and sorted by ' +
      '`order_by`.',
    access: 'resource',
    params: pipelineParams,
    query: pipelineFileFilter.extend({
      limit: z.number().int().min(1).max(1000).nullish().describe('Maximum number of files.'),
      offset: z.number().int().min(0).nullish().describe('Number of files to skip.'),
      order_by: z
        .string()
        .max(100)
        .nullish()
        .describe(
          'Sort order: `created_at`, `name`, `status` or `file_size`, followed by ` desc` for descending order.',
        ),
    }),
    response: {
      status: 200,
      json: z.object({
        files: z.array(pipelineFileBody),
        limit: z.number().int(),
        offset: z.number().int(),
        total_count: z.number().int(),
      }),
    },
    async handle({ ctx, params, query }) {
      const page = await getPipelineFileOffsetPage(ctx, params.pipeline_id, query);
      return { ...page, files: page.files.map(presentPipelineFile) };
    },
  }),
  operation({
    method: 'get',
    path: '/api/v1/beta/pipelines/{pipeline_id}/files',
    id: 'pagePipelineFilesByCursor',
    needs: 'read',
    tag,
    summary: 'List the files of a pipeline in pages',
    description: 'Takes the same filters as `files2`. Pass the `next_page_token` to read the next page.',
    access: 'resource',
    params: pipelineParams,
    query: pipelineFileFilter.extend(pageQuery.shape),
    response: { status: 200, json: buildPageSchema(pipelineFileBody) },
    async handle({ ctx, params, query }) {
      const page = await getPipelineFilePage(ctx, params.pipeline_id, query);
      return { ...page, items: page.items.map(presentPipelineFile) };
    },
  }),
  operation({
    method: 'get',
    path: '/api/v1/pipelines/{pipeline_id}/files/status-counts',
    id: 'countPipelineFiles',
    needs: 'read',
    tag,
    summary: 'Count the files of a pipeline by state',
    description: 'Returns how many files are in each state, for progress bars and overviews.',
    access: 'resource',
    params: pipelineParams,
    query: pipelineFileFilter.omit({ statuses: true }),
    response: { status: 200, json: statusCountsBody },
    handle: async ({ ctx, params, query }) => ({
      ...withEveryStatus(await countFilesByStatus(ctx, params.pipeline_id, query)),
      pipeline_id: params.pipeline_id,
      data_source_id: query.data_source_id ?? null,
      only_manually_uploaded: query.only_manually_uploaded ?? false,
    }),
  }),
  operation({
    method: 'get',
    path: '/api/v1/pipelines/{pipeline_id}/files/failures',
    id: 'countPipelineFileFailures',
    needs: 'read',
    tag,
    summary: 'Count failed files by reason',
    description: 'Groups the files that failed by their error and returns the size of each group.',
    access: 'resource',
    params: pipelineParams,
    query: ofSource,
    response: { status: 200, json: failuresBody },
    handle: ({ ctx, params, query }) => countFailuresByReason(ctx, params.pipeline_id, query),
  }),
];
