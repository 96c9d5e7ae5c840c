import { z } from 'zod';
import { expandField } from '#src/api/http/expand.ts';
import { operation } from '#src/api/operation/endpoint.ts';
import { buildPageSchema, pageQuery, prefixedId, timestamp } from '#src/api/operation/schemas.ts';
import type { TenantContext } from '#src/context/context.ts';
import { MAX_NAME_PART_CHARACTERS } from '#src/db/contains.ts';
import type { FileRow } from '#src/db/schema/index.ts';
import { uuid } from '#src/lib/secrets/uuid.ts';
import { deleteFile, getFile } from '#src/services/files/files.ts';
import { folderPath } from '#src/services/files/folder-path.ts';
import { type FilePageQuery, getFilePage } from '#src/services/files/listing.ts';
import { createContentUrl } from '#src/services/files/presigned.ts';
import { readTags, tagList } from '#src/services/files/tags.ts';
import { uploadMultipart } from '#src/services/files/upload-form.ts';
import { externalFileId, fileParams, labelFields } from './files.ts';
import { getOrigin, lifetimeQuery, presentUrl, presignedUrlBody } from './presigned-urls.ts';

const PURPOSES = ['user_data', 'parse', 'extract', 'classify', 'split', 'sheet', 'agent_app'] as const;

export const fileV2Body = z
  .object({
    id: z
      .string()
      .describe(
        'Id of the file, `dfl-` followed by a UUID. Every operation accepts it with and without the prefix.',
      ),
    name: z.string(),
    project_id: z.uuid(),
    external_file_id: z.string().nullish(),
    file_type: z.string().nullish(),
    file_size: z.number().int().nullish().describe('Size in bytes. Null until the bytes have arrived.'),
    data_source_id: z.uuid().nullish().describe('Id of the data source from which the file was read.'),
    created_at: timestamp.nullish(),
    updated_at: timestamp.nullish(),
    last_modified_at: timestamp.nullish(),
    expires_at: timestamp.nullish(),
    purpose: z.string().nullish(),
    download_url: presignedUrlBody.nullish().describe('Present with `expand=download_url`.'),
    folder: z.string().optional().describe('Folder, empty for the root. Present with `expand=folder`.'),
    tags: z.array(z.string()).optional().describe('Present with `expand=tags`.'),
  })
  .meta({ id: 'FileV2' });

const expandQuery = z.object({
  expand: expandField(['download_url', 'folder', 'tags'], 'Which further members a file has.'),
});

interface Presentation {
  ctx: TenantContext;
  request: Request;
  expand?: readonly string[] | null | undefined;
  /** Tags by file id, if they were already read. */
  tags?: Map<string, string[]>;
}

export async function presentFileV2(
  row: FileRow,
  { ctx, request, expand, tags }: Presentation,
): Promise<z.input<typeof fileV2Body>> {
  const withUrl = expand?.includes('download_url') && row.storageKey;
  return {
    id: `dfl-${row.id}`,
    name: row.name,
    project_id: row.projectId,
    external_file_id: row.externalFileId,
    file_type: row.fileType,
    file_size: row.fileSize,
    data_source_id: row.dataSourceId,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
    last_modified_at: row.lastModifiedAt?.toISOString() ?? null,
    expires_at: row.expiresAt?.toISOString() ?? null,
    purpose: row.purpose,
    download_url: withUrl ? presentUrl(await createContentUrl(ctx, getOrigin(request), row)) : null,
    ...(expand?.includes('folder') && { folder: row.folder }),
    ...(expand?.includes('tags') && {
      tags: (tags ?? (await readTags(ctx, [row.id]))).get(row.id) ?? [],
    }),
  };
}

async function presentPage(query: FilePageQuery, presentation: Presentation) {
  const { ctx, expand } = presentation;
  const page = await getFilePage(ctx, query);
  const ids = expand?.includes('tags') ? page.items.map(({ id }) => id) : [];
  const all = { ...presentation, tags: ids.length > 0 ? await readTags(ctx, ids) : new Map() };
  return { ...page, items: await Promise.all(page.items.map((row) => presentFileV2(row, all))) };
}

const fileId = prefixedId('dfl');
const orderBy = z
  .string()
  .max(100)
  .nullish()
  .describe(
    'Sort order: `name`, `id`, `created_at` or `file_size`, followed by ` desc` for descending order.',
  );

export const nameContains = z
  .string()
  .max(MAX_NAME_PART_CHARACTERS)
  .nullish()
  .describe('Part of the name, ignoring case.');
export const fileTypes = z
  .array(z.string().max(100))
  .max(100)
  .nullish()
  .describe('File extensions, such as `pdf`.');

const labelFilter = {
  folder: folderPath.nullish().describe('Only files in this folder. An empty string is the root.'),
  include_subfolders: z.boolean().nullish().describe('Also files in the subfolders of `folder`.'),
  tags: tagList.nullish().describe('Only files that have all these tags.'),
};

const fileQuery = z
  .object({
    filter: z
      .object({
        project_id: uuid().nullish(),
        file_ids: z.array(fileId).max(1000).nullish(),
        file_name: z.string().nullish(),
        name_contains: nameContains,
        file_types: fileTypes,
        data_source_id: uuid().nullish(),
        external_file_id: z.string().nullish(),
        only_manually_uploaded: z.boolean().nullish(),
        ...labelFilter,
      })
      .nullish(),
    order_by: orderBy,
    ...pageQuery.shape,
  })
  .meta({ id: 'FileQuery' });

const binary = z.string().meta({ format: 'binary' });
const filePage = buildPageSchema(fileV2Body).meta({ id: 'FileV2Page' });

export const betaFileOperations = [
  operation({
    method: 'post',
    path: '/api/v1/beta/files',
    id: 'createFileV2',
    needs: 'write',
    isBulk: true,
    tag: 'Files',
    summary: 'Upload a file for a purpose',
    description:
      'Send the file as the part `file` of a multipart form, with its `purpose`. A file with the same ' +
      '`external_file_id` keeps its id and gets the new bytes.',
    access: 'project',
    body: {
      multipart: z.object({
        file: binary,
        purpose: z.enum(PURPOSES),
        external_file_id: externalFileId.optional(),
        ...labelFields,
      }),
    },
    response: { status: 201, json: fileV2Body },
    errors: [400, 402],
    async handle({ ctx, request }) {
      const row = await uploadMultipart(ctx, request, ['file', 'upload_file'], { purposes: PURPOSES });
      return presentFileV2(row, { ctx, request });
    },
  }),
  operation({
    method: 'get',
    path: '/api/v1/beta/files',
    id: 'listFilesV2',
    needs: 'read',
    tag: 'Files',
    summary: 'List the files of a project in pages',
    description:
      'Returns one page of files. Filter by name, type, data source or ids, and pass the ' +
      '`next_page_token` to read the next page.',
    access: 'project',
    query: z.object({
      ...pageQuery.shape,
      file_ids: z.array(fileId).nullish().describe('Only files with these ids.'),
      file_name: z.string().nullish().describe('Complete name of the file.'),
      name_contains: nameContains,
      file_types: fileTypes,
      data_source_id: uuid().nullish().describe('Only files of this data source.'),
      only_manually_uploaded: z.boolean().nullish().describe('Leaves out files of data sources.'),
      external_file_id: z.string().nullish(),
      ...labelFilter,
      order_by: orderBy,
      ...expandQuery.shape,
    }),
    response: { status: 200, json: filePage },
    handle: ({ ctx, query, request }) =>
      presentPage(
        { filter: query, orderBy: query.order_by, pageSize: query.page_size, pageToken: query.page_token },
        { ctx, request, expand: query.expand },
      ),
  }),
  operation({
    method: 'post',
    path: '/api/v1/beta/files/query',
    id: 'queryFilesV2',
    needs: 'read',
    tag: 'Files',
    summary: 'Find files with a filter',
    description:
      'Accepts the filters of `GET /api/v1/beta/files` in a body, for long lists of ids. ' +
      'Returns one page of files.',
    access: 'project',
    body: { json: fileQuery },
    response: { status: 200, json: filePage },
    handle: ({ ctx, body, request }) =>
      presentPage(
        {
          filter: body.filter ?? {},
          orderBy: body.order_by,
          pageSize: body.page_size,
          pageToken: body.page_token,
        },
        { ctx, request },
      ),
  }),
  operation({
    method: 'get',
    path: '/api/v1/beta/files/{id}',
    id: 'getFileV2',
    needs: 'read',
    tag: 'Files',
    summary: 'Read a file',
    description:
      'Returns the metadata of the file. With `expand`, the answer also has a URL to download the ' +
      'bytes from.',
    access: 'project',
    params: fileParams,
    query: expandQuery,
    response: { status: 200, json: fileV2Body },
    async handle({ ctx, params, query, request }) {
      return presentFileV2(await getFile(ctx, params.id), { ctx, request, expand: query.expand });
    },
  }),
  operation({
    method: 'delete',
    path: '/api/v1/beta/files/{id}',
    id: 'deleteFileV2',
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
  operation({
    method: 'get',
    path: '/api/v1/beta/files/{id}/content',
    id: 'getFileContentUrlV2',
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
];
