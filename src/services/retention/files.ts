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

/** Each takes some calls of the bucket. */
const FILES_PER_STEP = 30;

/** Whether a pipeline or a job, whatever its state, speaks of the file that `id` names. */
export const isHeld = (id: SQL): SQL => sql`(
  exists (select 1 from pipeline_members where file_id = ${id})
  or exists (select 1 from parse_jobs where file_id = ${id})
  or exists (select 1 from extract_jobs where file_id = ${id})
  or exists (select 1 from classify_jobs where file_id = ${id}))`;

/** Files that were not changed since then and that nothing holds, with their bytes and what was made of them. */
export const expireFiles: Expiry = async (ctx, { projectId, before, cursor }) => {
  const isOver = and(
    eq(files.projectId, projectId),
    lt(files.createdAt, before),
    lt(files.updatedAt, before),
    or(sql`${files.pendingUntil} is null`, lt(files.pendingUntil, new Date())),
    sql`not ${isHeld(sql`files.id`)}`,
    // The pages of a parse job whose own file was deleted lie under the hash that it shares with this one.
    sql`not exists (select 1 from parse_jobs job where job.project_id = files.project_id
      and job.content_hash = files.content_hash
      and not exists (select 1 from files own where own.id = job.file_id))`,
  );
  const after = cursor === undefined ? undefined : decodeCursor(cursor, ['number', 'string']);
  // From where the step before ended, so that none goes again over all that are held.
  const found = await ctx.db
    .select({ id: files.id, createdAt: files.createdAt })
    .from(files)
    .where(and(isOver, following([files.createdAt, files.id], after, 'asc')))
    .orderBy(files.createdAt, files.id)
    .limit(FILES_PER_STEP);
  const ids = found.map(({ id }) => id);
  // Asked for once more with the deletion: a pipeline may have taken one in the meantime.
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
