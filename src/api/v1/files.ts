import { z } from 'zod';
import { operation } from '#src/api/endpoint.ts';
import { metadata, pathId, timestamp } from '#src/api/schemas.ts';
import type { FileRow } from '#src/db/schema/index.ts';
import { withoutEffect } from '#src/lib/effect.ts';
import {
  deleteFile,
  getFile,
  LONGEST_EXTERNAL_ID,
  listFiles,
  uploadMultipart,
} from '#src/services/files/files.ts';
import { fileFromUrl, uploadFromUrl } from '#src/services/files/from-url.ts';
import { syncPending } from '#src/services/files/pending-uploads.ts';
import { contentUrl, createUpload, newFile } from '#src/services/files/presigned.ts';
import { lifetimeQuery, originOf, presentUrl, presignedUrlBody } from './presigned-urls.ts';

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

/** File ids are accepted bare and with their prefix. */
export const fileParams = z.object({
  id: pathId('dfl'),
});

export const externalFileId = z.string().max(LONGEST_EXTERNAL_ID).describe('Empty means none.');

const storageType = withoutEffect(
  z.string().nullish().describe('How long to keep the file.'),
  'Files stay until they are deleted.',
);

const binary = z.string().meta({ format: 'binary' });

const uploadUrlBody = presignedUrlBody.extend({ file_id: z.uuid() }).meta({ id: 'FileIdPresignedUrl' });

export const fileOperations = [
  operation({
    method: 'put',
    path: '/api/v1/files',
    id: 'createPresignedUpload',
    tag: 'Files',
    summary: 'Get a URL to upload a file to',
    description:
      'PUT the bytes to the URL, without a key; the file registers by itself. An external_file_id that is taken ' +
      'keeps its file, which has its old bytes until the new ones have arrived.',
    access: 'project',
    query: lifetimeQuery,
    body: { json: newFile },
    response: { status: 200, json: uploadUrlBody },
    errors: [402],
    async handle({ ctx, query, body, request }) {
      const lifetime = query.expires_at_seconds ?? undefined;
      const upload = await createUpload(ctx, originOf(request), body, lifetime);
      return { ...presentUrl(upload), file_id: upload.fileId };
    },
  }),
  operation({
    method: 'put',
    path: '/api/v1/files/upload_from_url',
    id: 'uploadFileFromUrl',
    tag: 'Files',
    summary: 'Fetch a URL and keep what it answers with',
    description:
      'The name is the given one, else the answer’s Content-Disposition, else the URL’s last part. Addresses that ' +
      'are not public are refused, also behind redirects.',
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
    tag: 'Files',
    summary: 'Register what has been uploaded to presigned URLs',
    description:
      'Answers with the files that got their bytes since. Rarely needed: files register when they are used.',
    deprecated: true,
    access: 'project',
    response: { status: 200, json: z.array(fileBody) },
    async handle({ ctx }) {
      return (await syncPending(ctx)).map(presentFile);
    },
  }),
  operation({
    method: 'post',
    path: '/api/v1/files',
    id: 'uploadFile',
    tag: 'Files',
    summary: 'Upload a file',
    description:
      'Part `upload_file`. A file with the same external_file_id keeps its id and gets the new bytes.',
    access: 'project',
    query: z.object({ external_file_id: externalFileId.nullish(), storage_type: storageType }),
    body: { multipart: z.object({ upload_file: binary }) },
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
    tag: 'Files',
    summary: 'List the files of a project',
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
    tag: 'Files',
    summary: 'Read what is known of a file',
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
    tag: 'Files',
    summary: 'Get a URL to download a file from',
    access: 'project',
    params: fileParams,
    query: lifetimeQuery,
    response: { status: 200, json: presignedUrlBody },
    async handle({ ctx, params, query, request }) {
      const file = await getFile(ctx, params.id);
      const lifetime = query.expires_at_seconds ?? undefined;
      return presentUrl(await contentUrl(ctx, originOf(request), file, lifetime));
    },
  }),
  operation({
    method: 'delete',
    path: '/api/v1/files/{id}',
    id: 'deleteFile',
    tag: 'Files',
    summary: 'Delete a file, its bytes, its pages and its index entries',
    access: 'project',
    params: fileParams,
    response: { status: 204 },
    async handle({ ctx, params }) {
      await deleteFile(ctx, params.id);
    },
  }),
];
