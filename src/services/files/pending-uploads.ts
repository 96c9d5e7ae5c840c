import { and, asc, eq, getTableColumns, gt, isNotNull } from 'drizzle-orm';
import { keys } from '#src/bucket/keys.ts';
import { writeStream } from '#src/bucket/object-writer.ts';
import type { Context, TenantContext } from '#src/context/context.ts';
import { filesOf } from '#src/db/pipeline-members.ts';
import { type FileRow, files, pipelineMembers } from '#src/db/schema/index.ts';
import { LimitReached, TooLarge } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { announced, maxFileBytes, receiveContent } from './content.ts';

/** Uploads taken in by one call; the rest are by the next, or when they are used. */
const BATCH = 100;

/**
 * Bytes that came through the bucket's own URL, which no request of ours saw: looked for when the file is
 * used. They are copied while they are hashed, so that the URL, as long as it lasts, cannot change a file
 * behind the back of what was made of it. A file that is too large, or that its project has no room for, is dropped.
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

/** Takes in what has arrived for the project's open uploads; gives the files that have bytes since. */
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

/** Takes in what has arrived for the pipeline's files, so that a sync sees it. */
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
