import { and, eq, lt, or, type SQL, sql } from 'drizzle-orm';
import { keys } from '#src/bucket/keys.ts';
import { isOneOf } from '#src/db/is-one-of.ts';
import { following } from '#src/db/paging.ts';
import { files } from '#src/db/schema/index.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import { decodeCursor, encodeCursor } from '#src/lib/cursor.ts';
import { deletePrefix } from '#src/services/files/bucket.ts';
import { forgetBytes } from '#src/services/files/content.ts';
import type { Expiry } from './expiry.ts';

/** Files per step. Each takes several bucket calls. */
const FILES_PER_STEP = 30;

/** Condition that a pipeline or job refers to the file, whatever its status. */
export const isHeld = (id: SQL): SQL => sql`(
  exists (select 1 from pipeline_members where file_id = ${id})
  or exists (select 1 from parse_jobs where file_id = ${id})
  or exists (select 1 from extract_jobs where file_id = ${id})
  or exists (select 1 from classify_jobs where file_id = ${id}))`;

/**
 * Deletes files that have not changed since then and that nothing refers to, with their bytes and everything
 * derived from them.
 */
export const expireFiles: Expiry = async (ctx, { projectId, before, cursor }) => {
  const isOver = and(
    eq(files.projectId, projectId),
    lt(files.createdAt, before),
    lt(files.updatedAt, before),
    or(sql`${files.pendingUntil} is null`, lt(files.pendingUntil, new Date())),
    sql`not ${isHeld(sql`files.id`)}`,
    // Pages of a parse job whose own file was deleted are stored under the content hash that it shares with
    // this file.
    sql`not exists (select 1 from parse_jobs job where job.project_id = files.project_id
      and job.content_hash = files.content_hash
      and not exists (select 1 from files own where own.id = job.file_id))`,
  );
  const after = cursor === undefined ? undefined : decodeCursor(cursor, ['number', 'string']);
  // Continues where the previous step ended, so that files in use are not checked again.
  const found = await ctx.db
    .select({ id: files.id, createdAt: files.createdAt })
    .from(files)
    .where(and(isOver, following([files.createdAt, files.id], after, 'asc')))
    .orderBy(files.createdAt, files.id)
    .limit(FILES_PER_STEP);
  const ids = found.map(({ id }) => id);
  // Checked again in the deleting statement, because a pipeline may have added a file in the meantime.
  const gone = await ctx.db
    .delete(files)
    .where(and(isOneOf(files.id, ids), isOver))
    .returning();
  await inParallel(gone, async (file) => {
    await forgetBytes(ctx, file);
    await deletePrefix(ctx.bucket, keys.uploads(file.projectId, file.id));
  });
  const last = found.length === FILES_PER_STEP ? found.at(-1) : undefined;
  return { removed: gone.length, next: last && encodeCursor([last.createdAt.getTime(), last.id]) };
};
