import { and, asc, eq, getTableColumns, gt, isNotNull } from 'drizzle-orm';
import { keys } from '#src/bucket/keys.ts';
import { writeStream } from '#src/bucket/object-writer.ts';
import type { Context, TenantContext } from '#src/context/context.ts';
import { whereFiles } from '#src/db/pipeline-members.ts';
import { type FileRow, files, pipelineMembers } from '#src/db/schema/index.ts';
import { LimitReached, TooLarge } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { applyAnnouncement, maxFileBytes, receiveContent } from './content.ts';

/**
 * Number of uploads per query. `adoptProjectUploads` takes over at most this number per call. Further uploads
 * are taken over by later calls or when a file is used.
 */
const BATCH = 100;

/**
 * Takes over an upload that a client sent directly to the bucket with a presigned URL. The service cannot
 * observe such uploads, so it looks for them when the file is used. The bytes are copied while they are
 * hashed, so that the URL cannot change a file that was already processed. An upload that is too large or
 * exceeds the project's limit is deleted.
 */
export async function adoptPresignedUpload(ctx: Context, file: FileRow): Promise<FileRow> {
  const { pendingKey } = file;
  if (!pendingKey) return file;
  const object = await ctx.bucket.get(pendingKey);
  if (!object) return hasExpired(file) ? dropPendingUpload(ctx, file) : file;
  const key = keys.upload(file.projectId, file.id, newId());
  const limit = maxFileBytes(ctx);
  try {
    if (object.size > limit) throw new TooLarge(`File size exceeds ${ctx.settings.MAX_FILE_MIB}MB limit.`);
    const written = await writeStream(ctx.bucket, key, object.body, limit);
    const changes = applyAnnouncement(object.httpMetadata?.contentType);
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

const hasExpired = (file: FileRow) => (file.pendingUntil?.getTime() ?? 0) < Date.now();

async function dropPendingUpload(ctx: Context, file: FileRow): Promise<FileRow> {
  const [row] = await ctx.db
    .update(files)
    .set({ pendingKey: null, pendingUntil: null, pendingName: null, updatedAt: file.updatedAt })
    .where(and(eq(files.id, file.id), eq(files.pendingKey, file.pendingKey!)))
    .returning();
  return row ?? file;
}

/** Takes over finished presigned uploads of the project. Returns the files that got new content. */
export async function adoptProjectUploads(ctx: TenantContext): Promise<FileRow[]> {
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

/** Takes over finished presigned uploads of a pipeline's files, before a sync. */
export async function adoptPipelineUploads(ctx: Context, pipelineId: string): Promise<void> {
  let after = '';
  for (;;) {
    const open = await ctx.db
      .select(getTableColumns(files))
      .from(files)
      .innerJoin(pipelineMembers, eq(pipelineMembers.fileId, files.id))
      .where(and(whereFiles(pipelineId), isNotNull(files.pendingKey), gt(files.id, after)))
      .orderBy(asc(files.id))
      .limit(BATCH);
    for (const file of open) await adoptPresignedUpload(ctx, file);
    if (open.length < BATCH) return;
    after = open.at(-1)!.id;
  }
}
