import { and, eq, ne, sql } from 'drizzle-orm';
import { keys } from '#src/bucket/keys.ts';
import { mediaType } from '#src/bucket/media-type.ts';
import type { WrittenObject } from '#src/bucket/object-writer.ts';
import type { Context } from '#src/context/context.ts';
import { type FileRow, files, parses, pipelineMembers, pipelines } from '#src/db/schema/index.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import { messageOf, NotFound } from '#src/lib/errors.ts';
import { type Added, hasRoom, whyNoRoom } from '#src/services/limits/storage.ts';
import { deletePrefix } from './bucket.ts';
import { expectLeftovers } from './leftovers.ts';

const MEBIBYTE = 1024 * 1024;

export const maxFileBytes = (ctx: Context) => ctx.settings.MAX_FILE_MIB * MEBIBYTE;

type Changes = Partial<typeof files.$inferInsert>;

/**
 * Replaces the bytes of a file with those under `key`, and deletes the old ones. Of two concurrent uploads
 * the later one stays. Rejects without leaving anything behind: with NotFound if the file was deleted, with
 * LimitReached if the project's quota is exceeded.
 */
export async function replaceContent(
  ctx: Context,
  file: FileRow,
  key: string,
  { size, contentHash }: WrittenObject,
  changes: (previous: FileRow) => Changes,
): Promise<FileRow> {
  let previous: FileRow | undefined = file;
  while (previous) {
    const { id, projectId, storageKey, pendingName }: FileRow = previous;
    const added = addedTo(previous, size);
    const isAsRead = sql`${files.storageKey} is ${storageKey} and ${files.pendingName} is ${pendingName}`;
    const [row] = await ctx.db
      .update(files)
      .set({ ...changes(previous), storageKey: key, contentHash, fileSize: size })
      .where(and(eq(files.id, id), isAsRead, hasRoom(ctx, projectId, added)))
      .returning();
    if (row) {
      await tidying(ctx, forgetBytes(ctx, previous, row));
      return row;
    }
    const current = await ctx.db.query.files.findFirst({ where: eq(files.id, file.id) });
    const isUnchanged = current?.storageKey === storageKey && current.pendingName === pendingName;
    const refusal = isUnchanged ? await whyNoRoom(ctx, projectId, added) : undefined;
    if (refusal) {
      await ctx.bucket.delete(key);
      throw refusal;
    }
    previous = current;
  }
  await ctx.bucket.delete(key);
  throw new NotFound('File', file.id);
}

/**
 * Returns how much the new bytes add to the project. An entry of a data source does not count as a file until
 * it has bytes.
 */
function addedTo({ storageKey, origin, fileSize }: FileRow, size: number): Added {
  if (storageKey !== null) return { files: 0, bytes: size - (fileSize ?? 0) };
  return { files: origin === '' ? 0 : 1, bytes: size };
}

/** Replaces the bytes of a file with uploaded ones. Pipelines that contain the file index it again. */
export async function receiveContent(
  ctx: Context,
  file: FileRow,
  key: string,
  written: WrittenObject,
  changes: (previous: FileRow) => Changes,
): Promise<FileRow> {
  const row = await replaceContent(ctx, file, key, written, changes);
  if (row.contentHash === file.contentHash && row.name === file.name) return row;
  const holders = await ctx.db
    .selectDistinct({ id: pipelines.id })
    .from(pipelineMembers)
    .innerJoin(pipelines, eq(pipelines.id, pipelineMembers.pipelineId))
    .where(and(eq(pipelineMembers.fileId, row.id), ne(pipelines.status, 'DELETING')));
  await inParallel(holders, async ({ id }) => {
    const started = ctx.objects.pipelineSync(id).start(id, { reason: 'change', patient: true });
    // The bytes are stored, so the next sync will index them.
    await started.catch((error) =>
      ctx.log.error('no sync began', { pipelineId: id, error: messageOf(error) }),
    );
  });
  return row;
}

/** Columns that change when a presigned upload arrives. The file then takes the announced name. */
export const announced =
  (saidType: string | null | undefined) =>
  ({ pendingName }: FileRow): Changes => ({
    contentType: mediaType(saidType),
    ...(pendingName !== null && { ...namedAs(pendingName), pendingName: null }),
  });

export function namedAs(name: string): Pick<FileRow, 'name' | 'fileType'> {
  return { name: name.slice(0, 3000), fileType: extensionOf(name) };
}

export function extensionOf(name: string): string | null {
  return /\.([A-Za-z0-9]{1,12})$/.exec(name)?.[1]?.toLowerCase() ?? null;
}

/**
 * Deletes a file's old bytes, and everything derived from them unless another file of the project has equal
 * bytes.
 */
export async function forgetBytes(ctx: Context, old: FileRow, current?: FileRow): Promise<void> {
  await expectLeftovers(ctx, old, current);
  if (old.storageKey && old.storageKey !== current?.storageKey) await ctx.bucket.delete(old.storageKey);
  if (!old.contentHash || old.contentHash === current?.contentHash) return;
  const shared = await ctx.db.query.files.findFirst({
    where: and(
      eq(files.projectId, old.projectId),
      eq(files.contentHash, old.contentHash),
      ne(files.id, old.id),
    ),
  });
  if (shared) return;
  await ctx.db
    .delete(parses)
    .where(and(eq(parses.projectId, old.projectId), eq(parses.contentHash, old.contentHash)));
  await deletePrefix(ctx.bucket, keys.parsedFile(old.projectId, old.contentHash));
}

/** Waits for a clean-up. Its failure only wastes storage, so it is logged and not thrown. */
export async function tidying(ctx: Context, work: Promise<void>): Promise<void> {
  await work.catch((error) => ctx.log.error('left in the bucket', { error: messageOf(error) }));
}
