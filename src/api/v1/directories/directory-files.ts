import { z } from 'zod';
import { expandField } from '#src/api/http/expand.ts';
import { operation } from '#src/api/operation/endpoint.ts';
import { buildPageSchema, pageQuery, pathId, timestamp } from '#src/api/operation/schemas.ts';
import { nameContains } from '#src/api/v1/files/beta-files.ts';
import { externalFileId } from '#src/api/v1/files/files.ts';
import { getOrigin, presentUrl, presignedUrlBody } from '#src/api/v1/files/presigned-urls.ts';
import type { TenantContext } from '#src/context/context.ts';
import { getDirectory, toDirectoryId } from '#src/services/directories/directories.ts';
import {
  addDirectoryFile,
  type DirectoryEntry,
  deleteDirectoryFile,
  getDirectoryFile,
  getDirectoryFilePage,
  updateDirectoryFile,
} from '#src/services/directories/directory-files.ts';
import { directoryFileChanges, fileMetadata, newDirectoryFile } from '#src/services/directories/input.ts';
import { uploadToDirectory } from '#src/services/directories/upload.ts';
import { followDirectoryFile } from '#src/services/directory-indexes/sync.ts';
import { createContentUrl } from '#src/services/files/presigned.ts';
import { directoryParams, directoryPath } from './directories.ts';

const directoryFileBody = z
  .object({
    id: z.string().describe('Id of the file, which is also its id in the directory.'),
    directory_id: z.string(),
    project_id: z.uuid(),
    file_id: z.string(),
    unique_id: z.string(),
    display_name: z.string(),
    metadata: fileMetadata,
    data_source_id: z.uuid().nullish().describe('Data source from which the file was read.'),
    download_url: presignedUrlBody.nullish().describe('Present with `expand=download_url`.'),
    deleted_at: z.null().describe('Always null. Removed files are gone from the directory.'),
    created_at: timestamp.describe('Time at which the file was added.'),
    updated_at: timestamp,
  })
  .meta({ id: 'DirectoryFile' });

async function presentEntry(
  { entry, file }: DirectoryEntry,
  ctx: TenantContext,
  request: Request,
  expand: readonly string[] | null | undefined,
): Promise<z.input<typeof directoryFileBody>> {
  const withUrl = expand?.includes('download_url') && file.storageKey;
  return {
    id: `dfl-${entry.fileId}`,
    directory_id: entry.directoryId,
    project_id: entry.projectId,
    file_id: `dfl-${entry.fileId}`,
    unique_id: entry.uniqueId,
    display_name: entry.displayName,
    metadata: entry.metadata,
    data_source_id: file.dataSourceId,
    download_url: withUrl ? presentUrl(await createContentUrl(ctx, getOrigin(request), file)) : null,
    deleted_at: null,
    created_at: entry.createdAt.toISOString(),
    updated_at: entry.updatedAt.toISOString(),
  };
}

/** Lets the indexes that follow the directory at once index a file that was added or changed. */
async function followed(ctx: TenantContext, changing: Promise<DirectoryEntry>): Promise<DirectoryEntry> {
  const changed = await changing;
  await followDirectoryFile(ctx, changed.entry.directoryId, changed.entry.fileId);
  return changed;
}

const path = `${directoryPath}/files` as const;
const onePath = `${path}/{directory_file_id}` as const;
const oneParams = directoryParams.extend({ directory_file_id: pathId('dfl') });
const tag = 'Directories';
const expand = expandField(['download_url'], 'Which further members a file has.');
const moment = z.iso.datetime({ offset: true, local: true }).nullish();

export const directoryFileOperations = [
  operation({
    method: 'post',
    path,
    id: 'addDirectoryFile',
    needs: 'write',
    isBulk: true,
    tag,
    summary: 'Add a file to a directory',
    description:
      'Adds a file of the project. A directory contains each file, and each `unique_id`, at most once.',
    access: 'resource',
    params: directoryParams,
    body: { json: newDirectoryFile },
    response: { status: 201, json: directoryFileBody },
    errors: [409],
    handle: async ({ ctx, params, body, request }) =>
      presentEntry(await followed(ctx, addDirectoryFile(ctx, params.directory_id, body)), ctx, request, null),
  }),
  operation({
    method: 'post',
    path: `${path}/upload`,
    id: 'uploadDirectoryFile',
    needs: 'write',
    isBulk: true,
    tag,
    summary: 'Upload a file into a directory',
    description:
      'Send the file as the part `upload_file` of a multipart form. It becomes a file of the project and of the ' +
      'directory.',
    access: 'resource',
    params: directoryParams,
    body: {
      multipart: z.object({
        upload_file: z.string().meta({ format: 'binary' }),
        display_name: z.string().optional(),
        unique_id: z.string().optional(),
        external_file_id: externalFileId.optional(),
        metadata: z.string().optional().describe('JSON object.'),
      }),
    },
    response: { status: 201, json: directoryFileBody },
    errors: [400, 402, 409],
    handle: async ({ ctx, params, request }) =>
      presentEntry(
        await followed(ctx, uploadToDirectory(ctx, params.directory_id, request)),
        ctx,
        request,
        null,
      ),
  }),
  operation({
    method: 'get',
    path,
    id: 'listDirectoryFiles',
    needs: 'read',
    tag,
    summary: 'List the files of a directory',
    description: 'Returns one page of the files of the directory. Files that were added last come first.',
    access: 'resource',
    params: directoryParams,
    query: pageQuery.extend({
      display_name: z.string().nullish().describe('Exact match.'),
      display_name_contains: nameContains,
      unique_id: z.string().nullish().describe('Exact match.'),
      file_id: z.string().max(200).nullish(),
      updated_at_on_or_after: moment.describe('Only files that were changed at this time or later.'),
      updated_at_on_or_before: moment.describe('Only files that were changed at this time or earlier.'),
      expand,
    }),
    response: { status: 200, json: buildPageSchema(directoryFileBody).meta({ id: 'DirectoryFilePage' }) },
    async handle({ ctx, params, query, request }) {
      const page = await getDirectoryFilePage(ctx, params.directory_id, query);
      const items = page.items.map((each) => presentEntry(each, ctx, request, query.expand));
      return { ...page, items: await Promise.all(items) };
    },
  }),
  operation({
    method: 'get',
    path: onePath,
    id: 'getDirectoryFile',
    needs: 'read',
    tag,
    summary: 'Read a file of a directory',
    description: 'Returns the labels of the file in the directory.',
    access: 'resource',
    params: oneParams,
    query: z.object({ expand }),
    response: { status: 200, json: directoryFileBody },
    handle: async ({ ctx, params, query, request }) =>
      presentEntry(
        await getDirectoryFile(ctx, params.directory_id, params.directory_file_id),
        ctx,
        request,
        query.expand,
      ),
  }),
  operation({
    method: 'patch',
    path: onePath,
    id: 'updateDirectoryFile',
    needs: 'write',
    isBulk: true,
    tag,
    summary: 'Update a file of a directory',
    description: 'Changes the labels of the file, or moves it to another directory of the project.',
    access: 'resource',
    params: oneParams,
    body: { json: directoryFileChanges },
    response: { status: 200, json: directoryFileBody },
    errors: [409],
    async handle({ ctx, params, body, request }) {
      const { directory_id: from, directory_file_id: id } = params;
      const changed = await followed(ctx, updateDirectoryFile(ctx, from, id, body));
      // Indexes of the former directory remove a file that has moved to another one.
      if (changed.entry.directoryId !== toDirectoryId(from))
        await followDirectoryFile(ctx, from, changed.entry.fileId);
      return presentEntry(changed, ctx, request, null);
    },
  }),
  operation({
    method: 'delete',
    path: onePath,
    id: 'deleteDirectoryFile',
    needs: 'write',
    isBulk: true,
    tag,
    summary: 'Remove a file from a directory',
    description: 'Removes the file from the directory. The file stays in the project.',
    access: 'resource',
    params: oneParams,
    response: { status: 204 },
    async handle({ ctx, params }) {
      const { directory_id: from, directory_file_id: id } = params;
      const { id: directoryId } = await getDirectory(ctx, from);
      try {
        await deleteDirectoryFile(ctx, directoryId, id);
      } finally {
        // A repeated call removes what an interrupted one left in the indexes.
        await followDirectoryFile(ctx, directoryId, id);
      }
    },
  }),
];
