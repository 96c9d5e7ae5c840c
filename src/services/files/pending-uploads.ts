import { and, asc, eq, getTableColumns, gt, isNotNull } from 'drizzle-orm';
import { keys } from '#src/bucket/keys.ts';
import { writeStream } from '#src/bucket/object-writer.ts';
import type { Context, TenantContext } from '#src/context/context.ts';
import { filesOf } from '#src/db/pipeline-members.ts';
import { type FileRow, files, pipelineMembers } from '#src/db/schema/index.ts';
import { LimitReached, TooLarge } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { announced, maxFileBytes, receiveContent } from './content.ts';

/**
 * Uploads per query. `syncPending` adopts at most one batch per call; the rest is adopted by later calls or
 * when a file is used.
 */
const BATCH = 100;

/**
 * Adopts bytes that were uploaded through the bucket's own URL, which the service cannot observe. They are
 * looked up when the file is used, and copied while they are hashed, so that the URL cannot change a file
 * after it was processed. A file that is too large or exceeds the project's quota is dropped.
 */
export async function adoptPresignedUpload(ctx: Context, file: FileRow): Promise<FileRow> {
  const { pendingKey } = file;
  if (!pendingKey) return file;
  const object = await ctx.bucket.get(pendingKey);
  if (!object) return isOver(file) ? forget(ctx, file) : file;
  const key = keys.upload(file.projectId, file.id, newId());
  const limit = maxFileBytes(ctx);
  try {
    if (object.size > limit) throw new TooLarge(`File size exceeds ${ctx.settings.MAX_FILE_MIB}MB limit.`);
    const written = await writeStream(ctx.bucket, key, object.body, limit);
    const changes = announced(object.httpMetadata?.contentType);
    const taken = await receiveContent(ctx, file, key, written, changes);
    await ctx.bucket.delete(pendingKey);
    return taken;
  } catch (error) {
    if (!(error instanceof TooLarge || error instanceof LimitReached)) throw error;
    await object.body.cancel().catch(() => {});
    await ctx.bucket.delete(pendingKey);
    ctx.log.error('a presigned upload was dropped', { fileId: file.id, error: error.message });
    return file;
  }
}

const isOver = (file: FileRow) => (file.pendingUntil?.getTime() ?? 0) < Date.now();

async function forget(ctx: Context, file: FileRow): Promise<FileRow> {
  const [row] = await ctx.db
    .update(files)
    .set({ pendingKey: null, pendingUntil: null, pendingName: null, updatedAt: file.updatedAt })
    .where(and(eq(files.id, file.id), eq(files.pendingKey, file.pendingKey!)))
    .returning();
  return row ?? file;
}

/** Adopts arrived uploads of the project and returns the files that have bytes since. */
export async function syncPending(ctx: TenantContext): Promise<FileRow[]> {
  const open = await ctx.db.query.files.findMany({
    where: and(eq(files.projectId, ctx.projectId), isNotNull(files.pendingKey)),
    orderBy: [asc(files.updatedAt)],
    limit: BATCH,
  });
  const arrived: FileRow[] = [];
  for (const file of open) {
    const current = await adoptPresignedUpload(ctx, file);
    if (current.storageKey !== file.storageKey) arrived.push(current);
  }
  return arrived;
}

/** Adopts arrived uploads of a pipeline's files before a sync. */
export async function adoptPresignedUploadsOf(ctx: Context, pipelineId: string): Promise<void> {
  let after = '';
  for (;;) {
    const open = await ctx.db
      .select(getTableColumns(files))
      .from(files)
      .innerJoin(pipelineMembers, eq(pipelineMembers.fileId, files.id))
      .where(and(filesOf(pipelineId), isNotNull(files.pendingKey), gt(files.id, after)))
      .orderBy(asc(files.id))
      .limit(BATCH);
    for (const file of open) await adoptPresignedUpload(ctx, file);
    if (open.length < BATCH) return;
    after = open.at(-1)!.id;
  }
}
