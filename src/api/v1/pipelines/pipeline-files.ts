import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { metadata } from '#src/api/operation/schemas.ts';
import { NotFound } from '#src/lib/errors.ts';
import { bareId } from '#src/lib/ids.ts';
import { listPipelineFiles } from '#src/services/pipelines/pipeline-file-lists.ts';
import {
  addPipelineFiles,
  type PipelineFile,
  removePipelineFile,
  retryPipelineFile,
  setPipelineFileMetadata,
} from '#src/services/pipelines/pipeline-files.ts';
import { getPipeline } from '#src/services/pipelines/pipelines.ts';
import { getPipelineFileStatus } from '#src/services/pipelines/sync.ts';
import { fileBody, fileParams, presentFile } from '../files/files.ts';
import { presentStatus } from './pipeline-sync.ts';
import { ingestionStatusBody } from './pipelines.schemas.ts';
import { pipelineParams } from './pipelines.ts';

export const pipelineFileBody = fileBody
  .omit({ purpose: true, expires_at: true })
  .extend({
    pipeline_id: z.uuid(),
    file_id: z.uuid(),
    custom_metadata: metadata.nullish(),
    config_hash: metadata.nullish(),
    indexed_page_count: z.number().int().nullish(),
    status: z.enum(['NOT_STARTED', 'IN_PROGRESS', 'SUCCESS', 'ERROR', 'CANCELLED']),
    status_details: z.record(z.string(), z.unknown()).nullish(),
    status_updated_at: z.iso.datetime().nullish(),
  })
  .meta({ id: 'PipelineFile' });

type Body = z.input<typeof pipelineFileBody>;

export function presentPipelineFile({ member, file }: PipelineFile): Body {
  const { purpose: _purpose, expires_at: _expires, ...known } = presentFile(file);
  return {
    ...known,
    id: member.id,
    pipeline_id: member.pipelineId,
    file_id: file.id,
    custom_metadata: shownMetadata(member),
    data_source_id: member.dataSourceId,
    indexed_page_count: member.indexedPageCount,
    status: member.status as Body['status'],
    status_details: presentDetails(member),
    status_updated_at: member.statusUpdatedAt?.toISOString() ?? null,
    created_at: member.createdAt.toISOString(),
    updated_at: member.updatedAt.toISOString(),
  };
}

/**
 * Returns the metadata that clients set in a table or on the file. Values on the file take precedence over
 * the table.
 */
function shownMetadata({ tableMetadata, customMetadata }: PipelineFile['member']): Body['custom_metadata'] {
  return (
    tableMetadata ? { ...tableMetadata, ...customMetadata } : customMetadata
  ) as Body['custom_metadata'];
}

function presentDetails({ error, statusDetails, chunkCount }: PipelineFile['member']) {
  return {
    ...statusDetails,
    ...(chunkCount !== null && { chunk_count: chunkCount }),
    ...(error && { error }),
  };
}

export const pipelineFileParams = z.object({ ...pipelineParams.shape, file_id: fileParams.shape.id });
const tag = 'Pipeline files';

export const pipelineFileOperations = [
  operation({
    method: 'put',
    path: '/api/v1/pipelines/{pipeline_id}/files',
    id: 'addPipelineFiles',
    needs: 'write',
    tag,
    summary: 'Add files to a pipeline',
    description:
      'Adds uploaded files with their metadata. The pipeline parses and indexes them in the ' +
      'background. `GET /api/v1/pipelines/{pipeline_id}/status` says when this is done.',
    access: 'resource',
    params: pipelineParams,
    body: {
      json: z
        .array(z.object({ file_id: fileParams.shape.id, custom_metadata: metadata.nullish() }))
        .max(10_000),
    },
    response: { status: 200, json: z.array(pipelineFileBody) },
    handle: async ({ ctx, params, body }) =>
      (await addPipelineFiles(ctx, params.pipeline_id, body)).map(presentPipelineFile),
  }),
  operation({
    method: 'get',
    path: '/api/v1/pipelines/{pipeline_id}/files',
    id: 'listPipelineFiles',
    needs: 'read',
    tag,
    summary: 'List the files of a pipeline',
    description:
      'Returns every file of the pipeline in one answer. Use `GET ' +
      '/api/v1/pipelines/{pipeline_id}/files2` for filters and pages.',
    deprecated: true,
    access: 'resource',
    params: pipelineParams,
    response: { status: 200, json: z.array(pipelineFileBody) },
    async *handle({ ctx, params }) {
      for await (const page of listPipelineFiles(ctx, params.pipeline_id))
        yield page.map(presentPipelineFile);
    },
  }),
  operation({
    method: 'get',
    path: '/api/v1/pipelines/{pipeline_id}/files/{file_id}/status',
    id: 'getPipelineFileStatus',
    needs: 'read',
    tag,
    summary: 'Read the state of a file in a pipeline',
    description:
      'Says whether the file is waiting, in progress, indexed or failed, and lists its errors and the ' +
      'warnings of its parse.',
    access: 'resource',
    params: pipelineFileParams,
    response: { status: 200, json: ingestionStatusBody },
    async handle({ ctx, params }) {
      const pipeline = await getPipeline(ctx, params.pipeline_id);
      const state = await getPipelineFileStatus(ctx, pipeline.id, bareId(params.file_id));
      if (!state) throw new NotFound('Pipeline file', params.file_id);
      return presentStatus(state);
    },
  }),
  operation({
    method: 'post',
    path: '/api/v1/pipelines/{pipeline_id}/files/{file_id}/retry',
    id: 'retryPipelineFile',
    needs: 'write',
    tag,
    summary: 'Index a file again',
    description:
      'Also works for a file that failed permanently, for example after you fixed the settings of a ' +
      'model.',
    access: 'resource',
    params: pipelineFileParams,
    response: { status: 200, json: pipelineFileBody },
    handle: async ({ ctx, params }) =>
      presentPipelineFile(await retryPipelineFile(ctx, params.pipeline_id, params.file_id)),
  }),
  operation({
    method: 'delete',
    path: '/api/v1/pipelines/{pipeline_id}/files/{file_id}',
    id: 'removePipelineFile',
    needs: 'write',
    tag,
    summary: 'Remove a file from a pipeline',
    description: 'Retrieval no longer finds the file. The file itself stays in the project.',
    access: 'resource',
    params: pipelineFileParams,
    response: { status: 204 },
    handle: ({ ctx, params }) => removePipelineFile(ctx, params.pipeline_id, params.file_id),
  }),
  operation({
    method: 'put',
    path: '/api/v1/pipelines/{pipeline_id}/files/{file_id}',
    id: 'updatePipelineFile',
    needs: 'write',
    tag,
    summary: 'Change the metadata of a file',
    description:
      'Replaces the custom metadata of the file in this pipeline. An absent or null `custom_metadata` ' +
      'clears it. The index follows with the next sync.',
    access: 'resource',
    params: pipelineFileParams,
    body: { json: z.object({ custom_metadata: metadata.nullish() }) },
    response: { status: 200, json: pipelineFileBody },
    handle: async ({ ctx, params, body }) =>
      presentPipelineFile(
        await setPipelineFileMetadata(ctx, params.pipeline_id, params.file_id, body.custom_metadata ?? null),
      ),
  }),
];
