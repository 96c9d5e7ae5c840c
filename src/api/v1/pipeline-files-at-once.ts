import { z } from 'zod';
import { operation } from '#src/api/endpoint.ts';
import { removePipelineFiles, retryPipelineFiles } from '#src/services/pipelines/bulk-files.ts';
import { fileParams } from './files.ts';
import { pipelineFileFilter } from './pipeline-file-lists.ts';
import { pipelineParams } from './pipelines.ts';

const selection = z
  .object({
    file_ids: z.array(fileParams.shape.id).min(1).max(1000).nullish().describe('These files.'),
    filter: pipelineFileFilter.nullish().describe('Instead: the files that fit all of it.'),
  })
  .meta({ id: 'FileSelection' });

const tag = 'Pipeline files';

export const pipelineFilesAtOnceOperations = [
  operation({
    method: 'post',
    path: '/api/v1/pipelines/{pipeline_id}/files/retry',
    id: 'retryPipelineFiles',
    tag,
    summary: 'Try many files again',
    description:
      'Also those that failed for good. A filter without `statuses` means the states ERROR and CANCELLED.',
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
    tag,
    summary: 'Take many files out of a pipeline; they are not found from now on',
    description:
      'It begins with no further files after 15 seconds: while `remaining` is not 0, the same call removes on. A filter names at least one condition.',
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
