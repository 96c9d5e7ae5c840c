import { and, eq, notExists } from 'drizzle-orm';
import { keys } from '#src/bucket/keys.ts';
import type { Context } from '#src/context/context.ts';
import { type FileRow, files, parses, projects } from '#src/db/schema/index.ts';
import { Conflict } from '#src/lib/errors.ts';
import type { Leftover } from '#src/work/leftovers.ts';
import { deleteKeys, deletePrefix } from './bucket.ts';
import { findOrphans } from './owned-objects.ts';
import { isRestoring } from './restoring.ts';

const MINUTE = 60_000;
/** Time in milliseconds after which all work on a deleted file, such as parsing, has certainly ended. */
const FILE_WAIT_MS = 15 * MINUTE;
/**
 * Delays in milliseconds after which the objects of a deleted project are deleted again. After the last
 * delay, even slow uploads of the largest files have ended.
 */
const PROJECT_WAITS_MS = [MINUTE, FILE_WAIT_MS, 120 * MINUTE];
/** Number of bucket objects that are checked per query. */
const OBJECTS_PER_CALL = 500;

/**
 * Schedules another search for objects of a deleted file. Running work may still write objects, and this call
 * may be interrupted. A presigned upload is searched for after its URL has expired.
 */
export async function scheduleLeftovers(ctx: Context, old: FileRow, current?: FileRow): Promise<void> {
  const { projectId, id, contentHash, pendingUntil } = old;
  const at = [Date.now() + FILE_WAIT_MS];
  const places: Leftover[] = [];
  // The uploads of an existing file are kept, because another upload may be in progress.
  if (!current) {
    const uploadEnds = pendingUntil ? [pendingUntil.getTime() + MINUTE] : [];
    places.push({ prefix: keys.uploads(projectId, id), at: [...at, ...uploadEnds] });
  }
  if (contentHash && contentHash !== current?.contentHash) {
    places.push({ prefix: keys.parsedFile(projectId, contentHash), at });
  }
  if (places.length > 0) await ctx.objects.leftovers(projectId).clearLater(places);
}

/**
 * Schedules another search for objects of a deleted project. `uploadsUntil` is the time at which the last
 * upload URL of its files expires, in milliseconds since 1970.
 */
export async function scheduleProjectLeftovers(
  ctx: Context,
  projectId: string,
  uploadsUntil: number | null,
): Promise<void> {
  const now = Date.now();
  const at = PROJECT_WAITS_MS.map((wait) => now + wait);
  if (uploadsUntil !== null && uploadsUntil > now) at.push(uploadsUntil + MINUTE);
  await ctx.objects.leftovers(projectId).clearLater([{ prefix: keys.project(projectId), at }]);
}

/**
 * Deletes the objects under a prefix that no row refers to. Throws Conflict during a restore, which may have
 * written objects before their rows. Returns true if the project was deleted and has no objects left.
 */
export async function clearLeftovers(ctx: Context, projectId: string, prefix: string): Promise<boolean> {
  if (!prefix.startsWith(keys.project(projectId)))
    throw new Error(`The prefix ${prefix} does not belong to project ${projectId}`);
  if (await isRestoring(ctx))
    throw new Conflict('A backup is being restored. Try again when the restore has finished.');
  const project = await ctx.db.query.projects.findFirst({
    columns: { id: true },
    where: eq(projects.id, projectId),
  });
  if (!project) {
    await deletePrefix(ctx.bucket, keys.project(projectId));
    return true;
  }
  const [, contentHash] = /\/parsed\/([^/]+)\/$/.exec(prefix) ?? [];
  if (contentHash) await deleteOrphanedParses(ctx, projectId, contentHash);
  for (let startAfter: string | undefined; ; ) {
    const listed = await ctx.bucket.list({
      prefix,
      limit: OBJECTS_PER_CALL,
      ...(startAfter && { startAfter }),
    });
    const found = listed.objects.map(({ key }) => key);
    await deleteKeys(ctx.bucket, await findOrphans(ctx, found));
    startAfter = found.at(-1);
    if (!listed.truncated || !startAfter) return false;
  }
}

/**
 * Deletes rows of parse results whose content no file has. A parse that began before the deletion may have
 * stored them afterwards.
 */
async function deleteOrphanedParses(ctx: Context, projectId: string, contentHash: string): Promise<void> {
  const holders = ctx.db
    .select({ id: files.id })
    .from(files)
    .where(and(eq(files.projectId, projectId), eq(files.contentHash, contentHash)));
  await ctx.db
    .delete(parses)
    .where(and(eq(parses.projectId, projectId), eq(parses.contentHash, contentHash), notExists(holders)));
}
