import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { removePipelineFiles, retryPipelineFiles } from '#src/services/pipelines/bulk-files.ts';
import { fileParams } from '../files/files.ts';
import { pipelineFileFilter } from './pipeline-file-lists.ts';
import { pipelineParams } from './pipelines.ts';

const selection = z
  .object({
    file_ids: z.array(fileParams.shape.id).min(1).max(1000).nullish().describe('Ids of the files.'),
    filter: pipelineFileFilter
      .nullish()
      .describe('Filter, instead of ids. Selects the files that match all conditions.'),
  })
  .meta({ id: 'FileSelection' });

const tag = 'Pipeline files';

export const pipelineFilesAtOnceOperations = [
  operation({
    method: 'post',
    path: '/api/v1/pipelines/{pipeline_id}/files/retry',
    id: 'retryPipelineFiles',
    needs: 'write',
    tag,
    summary: 'Index many files again',
    description:
      'Retries every file that the filter selects, including files that failed permanently. A filter ' +
      'without `statuses` selects the states ERROR and CANCELLED.',
    access: 'resource',
    params: pipelineParams,
    body: { json: selection },
    response: { status: 200, json: z.object({ retried: z.number().int() }) },
    handle: async ({ ctx, params, body }) => ({
      retried: await retryPipelineFiles(ctx, params.pipeline_id, body),
    }),
  }),
  operation({
    method: 'post',
    path: '/api/v1/pipelines/{pipeline_id}/files/remove',
    id: 'removePipelineFiles',
    needs: 'write',
    tag,
    summary: 'Remove many files from a pipeline',
    description:
      'Removes the files that the filter selects; it must have at least one condition. Retrieval no ' +
      'longer finds them. The call works for about 15 seconds: repeat it while `remaining` is not 0.',
    access: 'resource',
    params: pipelineParams,
    body: { json: selection },
    response: {
      status: 200,
      json: z.object({ removed: z.number().int(), remaining: z.number().int() }),
    },
    handle: ({ ctx, params, body }) => removePipelineFiles(ctx, params.pipeline_id, body),
  }),
];
