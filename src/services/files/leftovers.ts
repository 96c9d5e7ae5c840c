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
/** By then what was in the middle of a deleted file, a parse or a reading by a model, has ended. */
const AFTER_A_FILE = 15 * MINUTE;
/** Of a project that is gone also uploads: the slowest of the largest files. */
const AFTER_A_PROJECT = [MINUTE, AFTER_A_FILE, 120 * MINUTE];
/** Objects that are looked at together. */
const PAGE = 500;

/**
 * Has what belonged to a file looked for once more, and its presigned upload when its URL has ended: whoever worked on
 * it may still write, and this call may be interrupted before all is gone.
 */
export async function expectLeftovers(ctx: Context, old: FileRow, current?: FileRow): Promise<void> {
  const { projectId, id, contentHash, pendingUntil } = old;
  const at = [Date.now() + AFTER_A_FILE];
  const places: Leftover[] = [];
  // Of a file that is still there another upload may be under way.
  if (!current) {
    const uploadEnds = pendingUntil ? [pendingUntil.getTime() + MINUTE] : [];
    places.push({ prefix: keys.uploads(projectId, id), at: [...at, ...uploadEnds] });
  }
  if (contentHash && contentHash !== current?.contentHash) {
    places.push({ prefix: keys.parsedFile(projectId, contentHash), at });
  }
  if (places.length > 0) await ctx.objects.leftovers(projectId).clearLater(places);
}

/** The same for a whole project. `uploadsUntil`: when the last URL ends that takes bytes for one of its files. */
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
 * Removes what is under a prefix and no row speaks of; refused while a restore is under way, which may have brought
 * back the bytes and not yet the rows. True: there is no such project, and nothing of it any more.
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

/** A reader that had begun before its file went has written down what it found. */
async function forgetShape(ctx: Context, projectId: string, contentHash: string): Promise<void> {
  const holders = ctx.db
    .select({ id: files.id })
    .from(files)
    .where(and(eq(files.projectId, projectId), eq(files.contentHash, contentHash)));
  await ctx.db
    .delete(parses)
    .where(and(eq(parses.projectId, projectId), eq(parses.contentHash, contentHash), notExists(holders)));
}
