import { z } from 'zod';
import { operation } from '#src/api/operation/endpoint.ts';
import { buildPageSchema, pathId, prefixedId } from '#src/api/operation/schemas.ts';
import { fileV2Body, presentFileV2 } from '#src/api/v1/files/beta-files.ts';
import { getFile } from '#src/services/files/files.ts';
import { folderPath } from '#src/services/files/folder-path.ts';
import { changeFiles, fileChange, getFolderPage } from '#src/services/files/folders.ts';
import { getTagPage, MAX_TAG_COUNT } from '#src/services/files/tags.ts';

const tag = 'Files';
/** Maximum number of files that one call changes. */
const MAX_FILES = 1_000;
const MAX_PAGE = 100;

const pageQuery = {
  page_size: z.number().int().min(1).max(MAX_PAGE).nullish().describe('Maximum number of items per page.'),
  page_token: z
    .string()
    .nullish()
    .describe('The `next_page_token` of the previous page. Absent for the first page.'),
};

const folderBody = z
  .object({
    path: z.string(),
    name: z.string().describe('Last part of the path.'),
    file_count: z.int().describe('Number of files in the folder and in its subfolders.'),
  })
  .meta({ id: 'FileFolder' });

const tagBody = z
  .object({
    tag: z.string(),
    file_count: z.int().describe(`Number of files with the tag. Counting stops at ${MAX_TAG_COUNT}.`),
  })
  .meta({ id: 'FileTag' });

export const fileV2Operations = [
  operation({
    method: 'get',
    path: '/api/v2/files/folders',
    id: 'listFileFolders',
    needs: 'read',
    tag,
    summary: 'List the folders of a project',
    description:
      'Returns one page of the folders that lie directly in `parent`, by name, with the number of their files. ' +
      'A folder exists as long as a file is in it or in one of its subfolders.',
    access: 'project',
    query: z.object({
      parent: folderPath.nullish().describe('Folder whose subfolders are listed. Defaults to the root.'),
      ...pageQuery,
    }),
    response: { status: 200, json: buildPageSchema(folderBody).meta({ id: 'FileFolderPage' }) },
    async handle({ ctx, query }) {
      const page = await getFolderPage(ctx, query);
      const prefix = query.parent ? `${query.parent}/` : '';
      return {
        ...page,
        items: page.items.map(({ name, files }) => ({ path: prefix + name, name, file_count: files })),
      };
    },
  }),
  operation({
    method: 'get',
    path: '/api/v2/files/tags',
    id: 'listFileTags',
    needs: 'read',
    tag,
    summary: 'List the tags of a project',
    description:
      'Returns one page of the tags of the files of the project, with the number of files of each.',
    access: 'project',
    query: z.object(pageQuery),
    response: { status: 200, json: buildPageSchema(tagBody).meta({ id: 'FileTagPage' }) },
    async handle({ ctx, query }) {
      const page = await getTagPage(ctx, query);
      return { ...page, items: page.items.map((each) => ({ tag: each.tag, file_count: each.files })) };
    },
  }),
  operation({
    method: 'post',
    path: '/api/v2/files/update',
    id: 'updateFiles',
    needs: 'write',
    tag,
    summary: 'Move and tag many files',
    description:
      `Changes the folder and the tags of up to ${MAX_FILES} files, of all or of none. Answers 404 if one of ` +
      'the files does not exist. Pipelines do not index the files again.',
    access: 'project',
    body: {
      json: fileChange.extend({ file_ids: z.array(prefixedId('dfl')).min(1).max(MAX_FILES) }),
    },
    response: { status: 204 },
    handle: ({ ctx, body: { file_ids, ...change } }) => changeFiles(ctx, file_ids, change),
  }),
  operation({
    method: 'patch',
    path: '/api/v2/files/{file_id}',
    id: 'updateFile',
    needs: 'write',
    tag,
    summary: 'Move and tag a file',
    description:
      'Changes the folder and the tags of a file. Fields that are absent or null change nothing. Pipelines do ' +
      'not index the file again.',
    access: 'project',
    params: z.object({ file_id: pathId('dfl') }),
    body: { json: fileChange },
    response: { status: 200, json: fileV2Body },
    async handle({ ctx, params, body, request }) {
      await changeFiles(ctx, [params.file_id], body);
      const file = await getFile(ctx, params.file_id);
      return presentFileV2(file, { ctx, request, expand: ['folder', 'tags'] });
    },
  }),
];
