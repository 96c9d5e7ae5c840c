import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { metadata, pathId, timestamp } from '#src/api/operation/schemas.ts';
import type { FileRow } from '#src/db/schema/index.ts';
import { withoutEffect } from '#src/lib/schema/effect.ts';
import { deleteFile, getFile, listFiles, MAX_EXTERNAL_ID_CHARACTERS } from '#src/services/files/files.ts';
import { folderPath } from '#src/services/files/folder-path.ts';
import { fileFromUrl, uploadFromUrl } from '#src/services/files/from-url.ts';
import { adoptProjectUploads } from '#src/services/files/pending-uploads.ts';
import { createContentUrl, createUpload, newFile } from '#src/services/files/presigned.ts';
import { uploadMultipart } from '#src/services/files/upload-form.ts';
import { getOrigin, lifetimeQuery, presentUrl, presignedUrlBody } from './presigned-urls.ts';

export const fileBody = z
  .object({
    id: z.uuid(),
    name: z.string(),
    project_id: z.uuid(),
    external_file_id: z.string().nullish(),
    file_size: z.number().int().nullish(),
    file_type: z.string().nullish(),
    last_modified_at: timestamp.nullish(),
    resource_info: metadata.nullish(),
    permission_info: metadata.nullish(),
    data_source_id: z.uuid().nullish(),
    expires_at: timestamp.nullish(),
    purpose: z.string().nullish(),
    created_at: timestamp.nullish(),
    updated_at: timestamp.nullish(),
  })
  .meta({ id: 'StoredFile' });

export function presentFile(row: FileRow): z.input<typeof fileBody> {
  return {
    id: row.id,
    name: row.name,
    project_id: row.projectId,
    external_file_id: row.externalFileId,
    file_size: row.fileSize,
    file_type: row.fileType,
    last_modified_at: row.lastModifiedAt?.toISOString() ?? null,
    resource_info: row.resourceInfo as z.input<typeof metadata> | null,
    permission_info: row.permissionInfo as z.input<typeof metadata> | null,
    data_source_id: row.dataSourceId,
    expires_at: row.expiresAt?.toISOString() ?? null,
    purpose: row.purpose,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  };
}

/** File ids are accepted with and without prefix. */
export const fileParams = z.object({
  id: pathId('dfl'),
});

export const externalFileId = z
  .string()
  .max(MAX_EXTERNAL_ID_CHARACTERS)
  .describe('An empty value means none.');

/** Form fields of an upload that organize the file. */
export const labelFields = {
  folder: folderPath.optional().describe('Folder of the file, such as `reports/2026`. Default: the root.'),
  tags: z
    .string()
    .optional()
    .describe('Tags of the file, separated by commas. The field may occur several times.'),
};

const storageType = withoutEffect(
  z.string().nullish().describe('Retention of the file.'),
  'Files are stored until they are deleted.',
);

const binary = z.string().meta({ format: 'binary' });

const uploadUrlBody = presignedUrlBody.extend({ file_id: z.uuid() }).meta({ id: 'FileIdPresignedUrl' });

export const fileOperations = [
  operation({
    method: 'put',
    path: '/api/v1/files',
    id: 'createPresignedUpload',
    needs: 'write',
    tag: 'Files',
    summary: 'Create a presigned upload URL',
    description:
      'Send the bytes with `PUT` to the URL of the answer; that request needs no key. The file is ' +
      'registered when its bytes have arrived. If the `external_file_id` belongs to a file already, ' +
      'that file keeps its id, and its old bytes until the new ones have arrived.',
    access: 'project',
    query: lifetimeQuery,
    body: { json: newFile },
    response: { status: 200, json: uploadUrlBody },
    errors: [402],
    async handle({ ctx, query, body, request }) {
      const lifetime = query.expires_at_seconds ?? undefined;
      const upload = await createUpload(ctx, getOrigin(request), body, lifetime);
      return { ...presentUrl(upload), file_id: upload.fileId };
    },
  }),
  operation({
    method: 'put',
    path: '/api/v1/files/upload_from_url',
    id: 'uploadFileFromUrl',
    needs: 'write',
    isBulk: true,
    tag: 'Files',
    summary: 'Upload a file from a URL',
    description:
      'The service downloads the URL and stores the bytes. The file is named after `name`, otherwise ' +
      'after the `Content-Disposition` header, otherwise after the last part of the URL. Private ' +
      'addresses are rejected, also after a redirect.',
    access: 'project',
    body: { json: fileFromUrl },
    response: { status: 200, json: fileBody },
    errors: [400, 402, 502],
    async handle({ ctx, body }) {
      return presentFile(await uploadFromUrl(ctx, body));
    },
  }),
  operation({
    method: 'put',
    path: '/api/v1/files/sync',
    id: 'syncFiles',
    needs: 'write',
    tag: 'Files',
    summary: 'Register files that were uploaded to presigned URLs',
    description:
      'Returns the files whose bytes have arrived since. You rarely need this call, because files are ' +
      'also registered when they are used.',
    deprecated: true,
    access: 'project',
    response: { status: 200, json: z.array(fileBody) },
    async handle({ ctx }) {
      return (await adoptProjectUploads(ctx)).map(presentFile);
    },
  }),
  operation({
    method: 'post',
    path: '/api/v1/files',
    id: 'uploadFile',
    needs: 'write',
    isBulk: true,
    tag: 'Files',
    summary: 'Upload a file',
    description:
      'Send the file as the part `upload_file` of a multipart form. A file with the same ' +
      '`external_file_id` keeps its id and gets the new bytes.',
    access: 'project',
    query: z.object({ external_file_id: externalFileId.nullish(), storage_type: storageType }),
    body: { multipart: z.object({ upload_file: binary, ...labelFields }) },
    response: { status: 200, json: fileBody },
    errors: [400, 402],
    async handle({ ctx, query, request }) {
      const given = { externalFileId: query.external_file_id };
      return presentFile(await uploadMultipart(ctx, request, ['upload_file', 'file'], given));
    },
  }),
  operation({
    method: 'get',
    path: '/api/v1/files',
    id: 'listFiles',
    needs: 'read',
    tag: 'Files',
    summary: 'List the files of a project',
    description:
      'Returns every file of the project in one answer, newest first. For large projects, use `GET ' +
      '/api/v1/beta/files`, which returns pages and takes filters.',
    access: 'project',
    response: { status: 200, json: z.array(fileBody) },
    async *handle({ ctx }) {
      for await (const page of listFiles(ctx)) yield page.map(presentFile);
    },
  }),
  operation({
    method: 'get',
    path: '/api/v1/files/{id}',
    id: 'getFile',
    needs: 'read',
    tag: 'Files',
    summary: 'Read a file',
    description:
      'Returns the metadata of the file, such as its name, size and type. Use `GET ' +
      '/api/v1/files/{id}/content` for its bytes.',
    access: 'project',
    params: fileParams,
    response: { status: 200, json: fileBody },
    async handle({ ctx, params }) {
      return presentFile(await getFile(ctx, params.id));
    },
  }),
  operation({
    method: 'get',
    path: '/api/v1/files/{id}/content',
    id: 'getFileContentUrl',
    needs: 'read',
    tag: 'Files',
    summary: 'Create a download URL',
    description:
      'Returns a URL from which the bytes of the file can be downloaded without a key until ' +
      '`expires_at`.',
    access: 'project',
    params: fileParams,
    query: lifetimeQuery,
    response: { status: 200, json: presignedUrlBody },
    async handle({ ctx, params, query, request }) {
      const file = await getFile(ctx, params.id);
      const lifetime = query.expires_at_seconds ?? undefined;
      return presentUrl(await createContentUrl(ctx, getOrigin(request), file, lifetime));
    },
  }),
  operation({
    method: 'delete',
    path: '/api/v1/files/{id}',
    id: 'deleteFile',
    needs: 'write',
    tag: 'Files',
    summary: 'Delete a file',
    description:
      'Deletes the file with its bytes, its parsed pages and its page images, and removes it from ' +
      'every pipeline. Retrieval no longer finds it.',
    access: 'project',
    params: fileParams,
    response: { status: 204 },
    async handle({ ctx, params }) {
      await deleteFile(ctx, params.id);
    },
  }),
];
