import { z } from 'zod';
import { readBytes } from '#src/api/http/read-input.ts';
import { operation } from '#src/api/operation/endpoint.ts';
import { Invalid, TooLarge } from '#src/lib/errors.ts';
import { listMetadataKeys } from '#src/retrieval/metadata-keys.ts';
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

const metadataKey = z
  .object({
    name: z
      .string()
      .describe('Key as filters name it. Members of objects are joined by dots (`owner.name`).'),
    types: z
      .array(z.enum(['string', 'number', 'boolean', 'list']))
      .describe('Types that were found. Filters write a boolean as the string `true` or `false`.'),
    count: z.number().int().describe('Number of sampled files and documents that have the key.'),
    values: z
      .array(z.union([z.string(), z.number(), z.boolean()]))
      .describe(
        'At most ten distinct values. Lists contribute their items, and texts are cut after 100 characters.',
      ),
    values_complete: z.boolean().describe('Whether the list contains all values that were found, uncut.'),
    built_in: z
      .boolean()
      .describe(
        'Whether the service sets the key itself, such as `file_name` or the pages of each chunk. Pages have no `values`.',
      ),
  })
  .meta({ id: 'MetadataKey' });

const metadataKeysBody = z
  .object({
    keys: z
      .array(metadataKey)
      .describe(
        'At most 200 keys from clients, followed by the built-in keys, each sorted by number of files.',
      ),
    more_keys: z.number().int().describe('Number of keys from clients that are not listed.'),
    sampled: z
      .number()
      .int()
      .describe('Number of newest files and documents that were sampled, at most 2,000.'),
    total: z.number().int().describe('Number of files and documents of the pipeline.'),
  })
  .meta({ id: 'MetadataKeys' });

export const pipelineMetadataOperations = [
  operation({
    method: 'get',
    path: '/api/v1/pipelines/{pipeline_id}/metadata-keys',
    id: 'listPipelineMetadataKeys',
    needs: 'read',
    tag,
    summary: 'List the metadata keys of a pipeline',
    description:
      'Returns the keys that retrieval filters can use, with their types and sample values. They come ' +
      'from the newest files and documents of the pipeline, including those that are not indexed yet. ' +
      'A playground pipeline returns the keys of the pipeline that answers it, and 409 if that ' +
      'pipeline is gone.',
    access: 'resource',
    params: pipelineParams,
    response: { status: 200, json: metadataKeysBody },
    errors: [409],
    handle: ({ ctx, params }) => listMetadataKeys(ctx, params.pipeline_id),
  }),
  operation({
    method: 'put',
    path,
    id: 'uploadPipelineMetadata',
    needs: 'write',
    tag,
    summary: 'Attach metadata from a table',
    description:
      'Send the table as the part `upload_file`: CSV with a header row, or JSON (an array of objects, ' +
      'or an object of objects by file name). The column `file_name`, `file_id` (or `id`) or ' +
      '`external_file_id` names the file of a row; every other column is metadata. The answer says how ' +
      'many rows found their file.',
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
    needs: 'write',
    tag,
    summary: 'Delete the metadata from tables',
    description:
      'Removes the metadata that uploaded tables attached. Metadata that was set on single files stays.',
    access: 'resource',
    params: pipelineParams,
    response: { status: 204 },
    handle: ({ ctx, params }) => clearMetadataTable(ctx, params.pipeline_id),
  }),
];
