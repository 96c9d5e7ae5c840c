import { and, asc, type SQL, sql } from 'drizzle-orm';
import { z } from 'zod';
import type { Context, TenantContext } from '#src/context/context.ts';
import { isInList } from '#src/db/is-in-list.ts';
import { buildPage, DEFAULT_PAGE_SIZE, type Page, parsePageToken } from '#src/db/paging.ts';
import { files, fileTags } from '#src/db/schema/index.ts';
import { UNPRINTABLE } from './folder-path.ts';

export const MAX_TAGS = 50;
export const MAX_TAG_CHARACTERS = 50;

/** Schema of a tag. Spaces around the tag and repeated spaces are removed. */
export const tag = z
  .string()
  .max(4 * MAX_TAG_CHARACTERS)
  .overwrite((text) => text.normalize('NFC').replace(/\s+/g, ' ').trim())
  .refine((text) => text.length >= 1 && text.length <= MAX_TAG_CHARACTERS, {
    error: `must have 1 to ${MAX_TAG_CHARACTERS} characters`,
  })
  .refine((text) => text.isWellFormed() && !text.includes(',') && !UNPRINTABLE.test(text), {
    error: 'must not contain commas or characters that cannot be printed',
  })
  .meta({ examples: ['invoice'] });

export const tagList = z.array(tag).max(MAX_TAGS);

/** Returns the tags of files by file id, in alphabetical order. */
export async function readTags(ctx: Context, fileIds: readonly string[]): Promise<Map<string, string[]>> {
  const rows = await ctx.db
    .select({ fileId: fileTags.fileId, tag: fileTags.tag })
    .from(fileTags)
    .where(isInList(fileTags.fileId, fileIds))
    .orderBy(asc(fileTags.fileId), asc(fileTags.tag));
  const groups = Map.groupBy(rows, ({ fileId }) => fileId);
  return new Map([...groups].map(([fileId, own]) => [fileId, own.map((row) => row.tag)]));
}

const encode = (texts: readonly string[]) => JSON.stringify([...new Set(texts)]);

/** Returns the statement that adds tags to files. Files that would then have too many tags are skipped. */
export function buildTagInsert(ctx: Context, fileIds: readonly string[], tags: readonly string[]) {
  const added = sql`json_each(${encode(tags)})`;
  return ctx.db
    .insert(fileTags)
    .select(
      sql`select file.id, added.value, file.project_id from ${files} file, ${added} added
        where ${isInList(sql`file.id`, fileIds)} and ${countAllTags(sql`file.id`, tags)} <= ${MAX_TAGS}`,
    )
    .onConflictDoNothing();
}

/** Returns SQL for the number of tags that a file has after `removed` were removed and `tags` were added. */
const countAllTags = (fileId: SQL, tags: readonly string[], removed: readonly string[] = []): SQL =>
  sql`(select count(*) from ${fileTags} own where own.file_id = ${fileId}
    and own.tag not in (select value from json_each(${encode([...tags, ...removed])}))) + ${new Set(tags).size}`;

/** Returns the id of a file that would have too many tags, or `undefined` if all files can take them. */
export async function findFullFile(
  ctx: Context,
  fileIds: readonly string[],
  tags: readonly string[],
  removed: readonly string[],
): Promise<string | undefined> {
  const [row] = await ctx.db.all<{ id: string }>(
    sql`select file.value as id from json_each(${encode(fileIds)}) file
      where ${countAllTags(sql`file.value`, tags, removed)} > ${MAX_TAGS} limit 1`,
  );
  return row?.id;
}

export function buildTagDelete(ctx: Context, fileIds: readonly string[], tags: readonly string[]) {
  return ctx.db.delete(fileTags).where(and(isInList(fileTags.fileId, fileIds), isInList(fileTags.tag, tags)));
}

/** Returns the statement that removes all tags of files except `kept`. */
export function buildOtherTagsDelete(ctx: Context, fileIds: readonly string[], kept: readonly string[]) {
  return ctx.db
    .delete(fileTags)
    .where(and(isInList(fileTags.fileId, fileIds), sql`not ${isInList(fileTags.tag, kept)}`));
}

/** Replaces the tags of a file. */
export async function replaceTags(ctx: Context, fileId: string, tags: readonly string[]): Promise<void> {
  await ctx.db.batch([buildOtherTagsDelete(ctx, [fileId], tags), buildTagInsert(ctx, [fileId], tags)]);
}

/** Returns the SQL condition that a file has all these tags. */
export function hasTags(projectId: string, tags: readonly string[], isFoundByTag: boolean): SQL | undefined {
  const [first, ...rest] = new Set(tags);
  if (first === undefined) return undefined;
  const isTagged = (each: string) =>
    sql`exists (select 1 from ${fileTags} own where own.file_id = ${files.id} and own.tag = ${each})`;
  if (!isFoundByTag) return and(...[first, ...rest].map(isTagged));
  // The list of ids makes SQLite read the index of the first tag instead of all files.
  const found = sql`${files.id} in (select own.file_id from ${fileTags} own
    where own.project_id = ${projectId} and own.tag = ${first})`;
  return and(found, ...rest.map(isTagged));
}

/** Maximum number up to which the files of a tag are counted. */
export const MAX_TAG_COUNT = 10_000;

export interface TagCount {
  tag: string;
  files: number;
}

/** Returns a page of the tags of the project's files, in alphabetical order, with the number of files. */
export async function getTagPage(
  ctx: TenantContext,
  query: { page_size?: number | null | undefined; page_token?: string | null | undefined },
): Promise<Page<TagCount>> {
  const [after = ''] = parsePageToken(query.page_token, ['string']) ?? [];
  const pageSize = query.page_size ?? DEFAULT_PAGE_SIZE;
  const select = selectTagCounts(ctx.projectId, after, pageSize + 1);
  return buildPage(await ctx.db.all<TagCount>(select), pageSize, (row) => [row.tag]);
}

/** Jumps from tag to tag in the index, so that the query does not read all tagged files. */
export const selectTagCounts = (projectId: string, after: string, limit: number): SQL =>
  sql`with recursive found(tag) as (
    select (select min(tag) from file_tags where project_id = ${projectId} and tag > ${after})
    union all
    select (select min(own.tag) from file_tags own where own.project_id = ${projectId} and own.tag > found.tag)
      from found where found.tag is not null limit ${limit + 1}
  ) select tag, (select count(*) from (select 1 from file_tags own where own.project_id = ${projectId}
    and own.tag = found.tag limit ${MAX_TAG_COUNT})) as files
  from found where tag is not null limit ${limit}`;
