import { and, eq, ne, sql } from 'drizzle-orm';
import type { Context } from '../../context.ts';
import { files, parses } from '../../db/schema/index.ts';
import { NotFound } from '../../errors.ts';
import { keys } from '../../files/keys.ts';
import type { WrittenObject } from '../../files/object-writer.ts';

export type FileRow = typeof files.$inferSelect;

const MEBIBYTE = 1024 * 1024;

/** Most objects that one R2 delete call takes. */
const DELETE_BATCH = 1000;

export const maxFileBytes = (ctx: Context) => ctx.settings.MAX_FILE_MIB * MEBIBYTE;

/**
 * Gives a file new bytes, which are in the bucket under `key`, and drops the old ones. Of two uploads at the
 * same time the later one stays. Rejects with NotFound, leaving nothing behind, when the file is gone.
 */
export async function replaceContent(
  ctx: Context,
  file: FileRow,
  key: string,
  { size, contentHash }: WrittenObject,
  changes: Partial<typeof files.$inferInsert> = {},
): Promise<FileRow> {
  let previous: FileRow | undefined = file;
  while (previous) {
    const [row] = await ctx.db
      .update(files)
      .set({ ...changes, storageKey: key, contentHash, fileSize: size })
      .where(and(eq(files.id, previous.id), sql`${files.storageKey} is ${previous.storageKey}`))
      .returning();
    if (row) {
      await forgetBytes(ctx, previous, row);
      return row;
    }
    previous = await ctx.db.query.files.findFirst({ where: eq(files.id, file.id) });
  }
  await ctx.bucket.delete(key);
  throw new NotFound('File', file.id);
}

/** Drops a file's old bytes, and what was made of them unless another file of the project is the same. */
export async function forgetBytes(ctx: Context, old: FileRow, current?: FileRow): Promise<void> {
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

export async function deletePrefix(bucket: R2Bucket, prefix: string): Promise<void> {
  for (;;) {
    const { objects, truncated } = await bucket.list({ prefix, limit: DELETE_BATCH });
    if (objects.length > 0) await bucket.delete(objects.map((object) => object.key));
    if (!truncated) return;
  }
}
