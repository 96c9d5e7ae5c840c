import { and, eq, lt, or, type SQL, sql } from 'drizzle-orm';
import { keys } from '#src/bucket/keys.ts';
import { isInList } from '#src/db/is-in-list.ts';
import { afterKey } from '#src/db/paging.ts';
import { files } from '#src/db/schema/index.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import { decodeCursor, encodeCursor } from '#src/lib/cursor.ts';
import { deletePrefix } from '#src/services/files/bucket.ts';
import { deleteBytes } from '#src/services/files/content.ts';
import type { Expiry } from './expiry.ts';

/** Maximum number of files that one step deletes. Each file takes several calls of the bucket. */
const FILES_PER_STEP = 30;

/** Returns the SQL condition that a pipeline, a directory or a job refers to the file, whatever its status. */
export const isReferenced = (id: SQL): SQL => sql`(
  exists (select 1 from pipeline_members where file_id = ${id})
  or exists (select 1 from directory_files where file_id = ${id})
  or exists (select 1 from parse_jobs where file_id = ${id})
  or exists (select 1 from extract_jobs where file_id = ${id})
  or exists (select 1 from classify_jobs where file_id = ${id})
  or exists (select 1 from split_jobs where file_id = ${id})
  or exists (select 1 from sheets_jobs where file_id = ${id}))`;

/**
 * Deletes unreferenced files that were not changed during the retention period, with their bytes and parse
 * results.
 */
export const expireFiles: Expiry = async (ctx, { projectId, before, cursor }) => {
  const isOver = and(
    eq(files.projectId, projectId),
    lt(files.createdAt, before),
    lt(files.updatedAt, before),
    or(sql`${files.pendingUntil} is null`, lt(files.pendingUntil, new Date())),
    sql`not ${isReferenced(sql`files.id`)}`,
    // Files with the same content are kept while a parse job whose own file was deleted still needs their
    // parsed pages.
    sql`not exists (select 1 from parse_jobs job where job.project_id = files.project_id
      and job.content_hash = files.content_hash
      and not exists (select 1 from files own where own.id = job.file_id))`,
  );
  const after = cursor === undefined ? undefined : decodeCursor(cursor, ['number', 'string']);
  // The query continues after the last file of the previous step, so that files in use are not checked again.
  const found = await ctx.db
    .select({ id: files.id, createdAt: files.createdAt })
    .from(files)
    .where(and(isOver, afterKey([files.createdAt, files.id], after, 'asc')))
    .orderBy(files.createdAt, files.id)
    .limit(FILES_PER_STEP);
  const ids = found.map(({ id }) => id);
  // The deleting statement checks the condition again, because a pipeline may have added the file in the
  // meantime.
  const gone = await ctx.db
    .delete(files)
    .where(and(isInList(files.id, ids), isOver))
    .returning();
  await inParallel(gone, async (file) => {
    await deleteBytes(ctx, file);
    await deletePrefix(ctx.bucket, keys.uploads(file.projectId, file.id));
  });
  const last = found.length === FILES_PER_STEP ? found.at(-1) : undefined;
  return { removed: gone.length, next: last && encodeCursor([last.createdAt.getTime(), last.id]) };
};
