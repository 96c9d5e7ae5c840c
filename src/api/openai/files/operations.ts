import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { pathId } from '#src/api/operation/schemas.ts';
import { serveObject } from '#src/bucket/serve-object.ts';
import type { FileRow } from '#src/db/schema/index.ts';
import { NotFound } from '#src/lib/errors.ts';
import { DEFAULT_PURPOSE, getFilesByPurpose } from '#src/services/files/by-purpose.ts';
import { deleteFile, getFile } from '#src/services/files/files.ts';
import { uploadMultipart } from '#src/services/files/upload-form.ts';
import { buildListQuery, buildListSchema, presentList, toIdPageQuery, toSeconds } from '../lists.ts';

const MAX_LISTED = 10_000;

const PURPOSES = ['assistants', 'evals', 'user_data', 'vision'] as const;

const REFUSED = {
  expires_after:
    'files do not expire one by one: leave this field out, and set the retention of files in the project',
};

const fileObject = z
  .object({
    id: z.string(),
    object: z.literal('file'),
    bytes: z.number().int(),
    created_at: z.number().int().describe('Time of the upload in seconds since 1970.'),
    filename: z.string(),
    purpose: z.string(),
    status: z.enum(['uploaded', 'processed']).describe('`uploaded` until the bytes have arrived.'),
  })
  .meta({ id: 'OpenAiFile' });

const presentFile = (row: FileRow): z.input<typeof fileObject> => ({
  id: row.id,
  object: 'file',
  bytes: row.fileSize ?? 0,
  created_at: toSeconds(row.createdAt),
  filename: row.name,
  purpose: row.purpose ?? DEFAULT_PURPOSE,
  status: row.storageKey ? 'processed' : 'uploaded',
});

const binary = z.string().meta({ format: 'binary' });
const common = { tag: 'Files', access: 'project', params: z.object({ file_id: pathId('dfl') }) } as const;
const { params: _, ...collection } = common;

export const openAiFileOperations = [
  operation({
    ...collection,
    method: 'post',
    path: '/v1/files',
    id: 'openAiUploadFile',
    needs: 'write',
    isBulk: true,
    summary: 'Upload a file',
    description:
      'Send the file as the part `file` of a multipart form. Add the file to a vector store to have it searched.',
    body: { multipart: z.object({ file: binary, purpose: z.enum(PURPOSES) }) },
    response: { status: 200, json: fileObject },
    errors: [402],
    async handle({ ctx, request }) {
      const given = { purposes: PURPOSES, refused: REFUSED };
      return presentFile(await uploadMultipart(ctx, request, ['file'], given));
    },
  }),
  operation({
    ...collection,
    method: 'get',
    path: '/v1/files',
    id: 'openAiListFiles',
    needs: 'read',
    summary: 'List files',
    description: 'Returns a page of the files of the project. A page has at most 1,000 files.',
    query: buildListQuery(MAX_LISTED)
      .omit({ before: true })
      .extend({ purpose: z.string().max(64).nullish().describe('Only files of this purpose.') }),
    response: { status: 200, json: buildListSchema(fileObject) },
    async handle({ ctx, query }) {
      const asked = { ...toIdPageQuery({ ...query, before: undefined }, MAX_LISTED), purpose: query.purpose };
      return presentList(await getFilesByPurpose(ctx, asked), presentFile);
    },
  }),
  operation({
    ...common,
    method: 'get',
    path: '/v1/files/{file_id}',
    id: 'openAiGetFile',
    needs: 'read',
    summary: 'Read a file',
    description: 'Returns the name, size and purpose of the file.',
    response: { status: 200, json: fileObject },
    handle: async ({ ctx, params }) => presentFile(await getFile(ctx, params.file_id)),
  }),
  operation({
    ...common,
    method: 'get',
    path: '/v1/files/{file_id}/content',
    id: 'openAiGetFileContent',
    needs: 'read',
    summary: 'Download a file',
    description: 'Returns the bytes of the file as they were uploaded.',
    response: {
      status: 200,
      content: { 'application/octet-stream': binary },
      description: 'The bytes of the file',
      conditional: true,
    },
    async handle({ ctx, params, request }) {
      const { storageKey, name } = await getFile(ctx, params.file_id);
      const served =
        storageKey &&
        (await serveObject(ctx.bucket, storageKey, request, {
          name,
          contentType: 'application/octet-stream',
        }));
      if (!served) throw new NotFound('Content of the file', params.file_id);
      return served;
    },
  }),
  operation({
    ...common,
    method: 'delete',
    path: '/v1/files/{file_id}',
    id: 'openAiDeleteFile',
    needs: 'write',
    summary: 'Delete a file',
    description: 'Deletes the file with its bytes and removes it from every vector store.',
    response: {
      status: 200,
      json: z.object({ id: z.string(), object: z.literal('file'), deleted: z.literal(true) }),
    },
    async handle({ ctx, params }) {
      const { id } = await getFile(ctx, params.file_id);
      await deleteFile(ctx, id);
      return { id, object: 'file' as const, deleted: true as const };
    },
  }),
];
