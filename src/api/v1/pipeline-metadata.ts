import { z } from 'zod';
import { operation } from '#src/api/endpoint.ts';
import { readBytes } from '#src/api/read-input.ts';
import { Invalid, TooLarge } from '#src/errors.ts';
import {
  applyMetadataTable,
  clearMetadataTable,
  MAX_TABLE_BYTES,
} from '#src/services/pipelines/metadata-table.ts';
import { pipelineParams } from './pipelines.ts';

const tag = 'Pipeline files';
const path = '/api/v1/pipelines/{pipeline_id}/metadata';

async function readUpload(request: Request): Promise<{ name: string; bytes: Uint8Array }> {
  const body = await readBytes(request, 2 * MAX_TABLE_BYTES, tooLarge);
  const headers = { 'content-type': request.headers.get('content-type') ?? '' };
  const form = await new Response(body, { headers }).formData().catch(() => {
    throw Invalid.field([], 'The multipart form is malformed', 'multipart');
  });
  const part = form.get('upload_file') ?? form.get('file');
  if (!(part instanceof File)) throw Invalid.field(['upload_file'], 'Field required', 'missing');
  if (part.size > MAX_TABLE_BYTES) throw tooLarge();
  return { name: part.name, bytes: new Uint8Array(await part.arrayBuffer()) };
}

const tooLarge = () => new TooLarge(`Metadata tables are limited to ${MAX_TABLE_BYTES / 1024 / 1024} MiB.`);

export const pipelineMetadataOperations = [
  operation({
    method: 'put',
    path,
    id: 'uploadPipelineMetadata',
    tag,
    summary: 'Attach metadata to a pipeline’s files from a table',
    description:
      'Part `upload_file`: CSV with a header line, or JSON (an array of objects, or an object of objects by ' +
      'file name). `file_name`, `file_id` (or `id`) or `external_file_id` says which file a row is about; ' +
      'every other column is metadata. Answers how many rows found their file.',
    access: 'resource',
    params: pipelineParams,
    body: { multipart: z.object({ upload_file: z.string().meta({ format: 'binary' }) }) },
    response: { status: 200, json: z.record(z.string(), z.string()) },
    errors: [400],
    handle: async ({ ctx, params, request }) =>
      applyMetadataTable(ctx, params.pipeline_id, await readUpload(request)),
  }),
  operation({
    method: 'delete',
    path,
    id: 'deletePipelineMetadata',
    tag,
    summary: 'Take back what metadata tables have attached',
    access: 'resource',
    params: pipelineParams,
    response: { status: 204 },
    handle: ({ ctx, params }) => clearMetadataTable(ctx, params.pipeline_id),
  }),
];
