import { and, eq, ne, sql } from 'drizzle-orm';
import { keys } from '#src/bucket/keys.ts';
import { parseMediaType } from '#src/bucket/media-type.ts';
import type { WrittenObject } from '#src/bucket/object-writer.ts';
import type { Context } from '#src/context/context.ts';
import { type FileRow, files, parses, pipelineMembers, pipelines } from '#src/db/schema/index.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import { getErrorMessage, NotFound } from '#src/lib/errors.ts';
import { findQuotaError, fitsQuota, type StorageChange } from '#src/services/limits/storage.ts';
import { deletePrefix } from './bucket.ts';
import { scheduleLeftovers } from './leftovers.ts';

const MEBIBYTE = 1024 * 1024;

export const maxFileBytes = (ctx: Context) => ctx.settings.MAX_FILE_MIB * MEBIBYTE;

type Changes = Partial<typeof files.$inferInsert>;

/**
 * Replaces the content of a file with the bytes under `key`, and deletes the old bytes. If two uploads run
 * concurrently, the later one wins. On an error the new bytes are deleted. Throws NotFound if the file was
 * deleted, and LimitReached if the project's storage limit is exceeded.
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
    const added = computeStorageChange(previous, size);
    const isAsRead = sql`${files.storageKey} is ${storageKey} and ${files.pendingName} is ${pendingName}`;
    const [row] = await ctx.db
      .update(files)
      .set({ ...changes(previous), storageKey: key, contentHash, fileSize: size })
      .where(and(eq(files.id, id), isAsRead, fitsQuota(ctx, projectId, added)))
      .returning();
    if (row) {
      await runCleanup(ctx, deleteBytes(ctx, previous, row));
      return row;
    }
    const current = await ctx.db.query.files.findFirst({ where: eq(files.id, file.id) });
    const isUnchanged = current?.storageKey === storageKey && current.pendingName === pendingName;
    const refusal = isUnchanged ? await findQuotaError(ctx, projectId, added) : undefined;
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
 * Returns how the new content changes the project's storage. A file of a data source counts as a file only
 * once it has content.
 */
function computeStorageChange({ storageKey, origin, fileSize }: FileRow, size: number): StorageChange {
  if (storageKey !== null) return { files: 0, bytes: size - (fileSize ?? 0) };
  return { files: origin === '' ? 0 : 1, bytes: size };
}

/** Replaces the content of a file with uploaded bytes. Pipelines that contain the file index it again. */
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
    // If the sync cannot be started, an error is only logged. The new bytes are stored, and the next sync
    // indexes them.
    await started.catch((error) =>
      ctx.log.error('starting a sync failed', { pipelineId: id, error: getErrorMessage(error) }),
    );
  });
  return row;
}

/**
 * Returns a function that gives the columns to change when a presigned upload arrives. The file gets the name
 * that was announced for the upload.
 */
export const applyAnnouncement =
  (statedType: string | null | undefined) =>
  ({ pendingName }: FileRow): Changes => ({
    contentType: parseMediaType(statedType),
    ...(pendingName !== null && { ...toNameColumns(pendingName), pendingName: null }),
  });

export function toNameColumns(name: string): Pick<FileRow, 'name' | 'fileType'> {
  return { name: name.slice(0, 3000), fileType: getExtension(name) };
}

export function getExtension(name: string): string | null {
  return /\.([A-Za-z0-9]{1,12})$/.exec(name)?.[1]?.toLowerCase() ?? null;
}

/**
 * Deletes the old bytes of a file. Parse results are deleted too, unless another file of the project has the
 * same content.
 */
export async function deleteBytes(ctx: Context, old: FileRow, current?: FileRow): Promise<void> {
  await scheduleLeftovers(ctx, old, current);
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

/** Waits for a cleanup. A failure is logged and not thrown, because it only wastes storage. */
export async function runCleanup(ctx: Context, work: Promise<void>): Promise<void> {
  await work.catch((error) =>
    ctx.log.error('cleaning up the bucket failed', { error: getErrorMessage(error) }),
  );
}
