import { type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Context, TenantContext } from '#src/context/context.ts';
import { isInList } from '#src/db/is-in-list.ts';
import { buildPage, DEFAULT_PAGE_SIZE, type Page, parsePageToken } from '#src/db/paging.ts';
import { files } from '#src/db/schema/index.ts';
import { Invalid, NotFound } from '#src/lib/errors.ts';
import { bareId } from '#src/lib/ids.ts';
import { findFiles } from './files.ts';
import { folderPath, isBelowFolder } from './folder-path.ts';
import {
  buildOtherTagsDelete,
  buildTagDelete,
  buildTagInsert,
  findFullFile,
  MAX_TAGS,
  tagList,
} from './tags.ts';

export interface FolderCount {
  name: string;
  files: number;
}

/** Returns a page of the folders directly in `parent`, by name, with the number of files at any depth. */
export async function getFolderPage(
  ctx: TenantContext,
  query: {
    parent?: string | null | undefined;
    page_size?: number | null | undefined;
    page_token?: string | null | undefined;
  },
): Promise<Page<FolderCount>> {
  const [after = ''] = parsePageToken(query.page_token, ['string']) ?? [];
  const pageSize = query.page_size ?? DEFAULT_PAGE_SIZE;
  const select = selectFolderCounts(ctx.projectId, query.parent ?? '', after, pageSize + 1);
  return buildPage(await ctx.db.all<FolderCount>(select), pageSize, (row) => [row.name]);
}

/**
 * Counts the files of each folder in the order of the index, and then adds up the folders that lie in the same
 * child of `parent`.
 */
export function selectFolderCounts(projectId: string, parent: string, after: string, limit: number): SQL {
  const prefix = parent === '' ? '' : `${parent}/`;
  const rest = sql`substr(folder, length(${prefix}) + 1)`;
  return sql`select substr(rest, 1, instr(rest || '/', '/') - 1) as name, sum(files) as files from (
    select ${rest} as rest, count(*) as files from ${files}
      where ${files.projectId} = ${projectId} and ${isBelowFolder(files.folder, parent)}
        and ${files.folder} > ${prefix + after}
      group by ${files.folder})
    group by 1 having name > ${after} order by 1 limit ${limit}`;
}

/** Schema of a change of a file's folder and tags. Fields that are absent or null change nothing. */
export const fileChange = z.object({
  folder: folderPath.nullish().describe('Folder of the file. An empty string is the root.'),
  tags: tagList.nullish().describe('Tags that replace the tags of the file.'),
  add_tags: tagList.nullish().describe(`Tags to add. A file has at most ${MAX_TAGS} tags.`),
  remove_tags: tagList.nullish().describe('Tags to remove.'),
});
type FileChange = z.output<typeof fileChange>;

/**
 * Changes the folder and the tags of files, all or none. Throws NotFound if a file does not exist. Does not
 * change `updatedAt`, so that no pipeline indexes the files again.
 */
export async function changeFiles(
  ctx: TenantContext,
  ids: readonly string[],
  { folder, tags, add_tags: added, remove_tags: removed }: FileChange,
): Promise<void> {
  if (tags && (added?.length || removed?.length)) {
    throw Invalid.field(['tags'], 'cannot be combined with add_tags or remove_tags');
  }
  const fileIds = [...new Set(ids.map(bareId))];
  const found = await findFiles(ctx, fileIds);
  const missing = fileIds.find((id) => !found.has(id));
  if (missing !== undefined) throw new NotFound('File', missing);
  const full = added?.length ? await findFullFile(ctx, fileIds, added, removed ?? []) : undefined;
  if (full) throw Invalid.field(['add_tags'], `file ${full} would have more than ${MAX_TAGS} tags`);
  const [first, ...rest] = [
    ...(folder == null ? [] : [buildMove(ctx, fileIds, folder)]),
    ...(tags ? [buildOtherTagsDelete(ctx, fileIds, tags), buildTagInsert(ctx, fileIds, tags)] : []),
    ...(removed?.length ? [buildTagDelete(ctx, fileIds, removed)] : []),
    ...(added?.length ? [buildTagInsert(ctx, fileIds, added)] : []),
  ];
  if (first) await ctx.db.batch([first, ...rest]);
}

const buildMove = (ctx: Context, fileIds: readonly string[], folder: string) =>
  ctx.db
    .update(files)
    .set({ folder, updatedAt: sql`${files.updatedAt}` })
    .where(isInList(files.id, fileIds));
