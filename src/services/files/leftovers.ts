import { and, eq, notExists } from 'drizzle-orm';
import { keys } from '#src/bucket/keys.ts';
import type { Context } from '#src/context/context.ts';
import { type FileRow, files, parses, projects } from '#src/db/schema/index.ts';
import { Conflict } from '#src/lib/errors.ts';
import type { Leftover } from '#src/work/leftovers.ts';
import { deleteKeys, deletePrefix } from './bucket.ts';
import { withoutOwner } from './owned-objects.ts';
import { isRestoring } from './restoring.ts';

const MINUTE = 60_000;
/** Milliseconds after which work on a deleted file, such as a parse or a reading by a model, has ended. */
const AFTER_A_FILE = 15 * MINUTE;
/**
 * Milliseconds to wait for a deleted project. By the last one, uploads have ended too, even slow ones of the
 * largest files.
 */
const AFTER_A_PROJECT = [MINUTE, AFTER_A_FILE, 120 * MINUTE];
/** Objects that are checked per call. */
const PAGE = 500;

/**
 * Schedules another search for objects of a deleted file, and for its presigned upload once the URL has
 * expired. Running work may still write objects, and this call may be interrupted.
 */
export async function expectLeftovers(ctx: Context, old: FileRow, current?: FileRow): Promise<void> {
  const { projectId, id, contentHash, pendingUntil } = old;
  const at = [Date.now() + AFTER_A_FILE];
  const places: Leftover[] = [];
  // Another upload may be in progress for a file that still exists.
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
 * Schedules the same for a whole project. `uploadsUntil` is when the last upload URL of its files expires.
 */
export async function expectProjectLeftovers(
  ctx: Context,
  projectId: string,
  uploadsUntil: number | null,
): Promise<void> {
  const now = Date.now();
  const at = AFTER_A_PROJECT.map((wait) => now + wait);
  if (uploadsUntil !== null && uploadsUntil > now) at.push(uploadsUntil + MINUTE);
  await ctx.objects.leftovers(projectId).clearLater([{ prefix: keys.project(projectId), at }]);
}

/**
 * Deletes objects under a prefix that no row refers to. Throws Conflict during a restore, which may have
 * written bytes before their rows. Returns true if the project and all of its objects are gone.
 */
export async function clearLeftovers(ctx: Context, projectId: string, prefix: string): Promise<boolean> {
  if (!prefix.startsWith(keys.project(projectId))) throw new Error(`Not of project ${projectId}: ${prefix}`);
  if (await isRestoring(ctx)) throw new Conflict('A restore is under way.');
  const project = await ctx.db.query.projects.findFirst({
    columns: { id: true },
    where: eq(projects.id, projectId),
  });
  if (!project) {
    await deletePrefix(ctx.bucket, keys.project(projectId));
    return true;
  }
  const [, contentHash] = /\/parsed\/([^/]+)\/$/.exec(prefix) ?? [];
  if (contentHash) await forgetShape(ctx, projectId, contentHash);
  for (let startAfter: string | undefined; ; ) {
    const listed = await ctx.bucket.list({ prefix, limit: PAGE, ...(startAfter && { startAfter }) });
    const found = listed.objects.map(({ key }) => key);
    await deleteKeys(ctx.bucket, await withoutOwner(ctx, found));
    startAfter = found.at(-1);
    if (!listed.truncated || !startAfter) return false;
  }
}

/**
 * Deletes stored parses whose bytes no file has. A parse that started before the deletion may have stored its
 * result afterwards.
 */
async function forgetShape(ctx: Context, projectId: string, contentHash: string): Promise<void> {
  const holders = ctx.db
    .select({ id: files.id })
    .from(files)
    .where(and(eq(files.projectId, projectId), eq(files.contentHash, contentHash)));
  await ctx.db
    .delete(parses)
    .where(and(eq(parses.projectId, projectId), eq(parses.contentHash, contentHash), notExists(holders)));
}
