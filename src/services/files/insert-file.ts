import { and, eq, sql } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import {
  buildConditionalInsert,
  createConditionalRow,
  createPlaceholderRow,
  encodeRow,
} from '#src/db/conditional-insert.ts';
import { prepareOnce } from '#src/db/prepare-once.ts';
import { type FileRow, files } from '#src/db/schema/index.ts';
import {
  buildStorageCount,
  findQuotaError,
  fitsOwnQuota,
  fitsQuota,
  isCountedByDefault,
  type StorageChange,
} from '#src/services/limits/storage.ts';

/**
 * Inserts a file. Returns `undefined` if its external id is in use. Throws LimitReached if the project's
 * storage limit is exceeded.
 */
export async function insertFile(
  ctx: TenantContext,
  values: Omit<typeof files.$inferInsert, 'projectId' | 'origin'>,
  announced: number,
): Promise<FileRow | undefined> {
  const { projectId } = ctx;
  const origin = values.dataSourceId ?? '';
  const isCounted = origin === '' || Boolean(values.storageKey);
  const added = { files: isCounted ? 1 : 0, bytes: values.fileSize ?? announced };
  const now = new Date();
  const folder = values.folder ?? '';
  const all = { ...values, folder, projectId, origin, createdAt: now, updatedAt: now };
  const isUsual = added.files > 0 && added.bytes > 0 && !isCountedByDefault(ctx);
  const [row] = (
    isUsual
      ? await insertWithinOwnQuota(ctx.db).execute({ ...encodeRow(files, all), bytes: added.bytes })
      : await insertWithinQuota(ctx, all, added)
  ) as FileRow[];
  if (row) return row;
  const refusal = await findQuotaError(ctx, projectId, added);
  const isTaken = values.externalFileId && (await findByExternalId(ctx, values));
  if (refusal && !isTaken) throw refusal;
  return undefined;
}

/** Inserts a file with content in an installation without default limits, which is what most uploads do. */
const insertWithinOwnQuota = prepareOnce((db) =>
  buildConditionalInsert(
    { db },
    {
      table: files,
      row: createPlaceholderRow(files),
      condition: fitsOwnQuota(sql`${sql.placeholder('projectId')}`, sql`${sql.placeholder('bytes')}`),
    },
  )
    .returning()
    .prepare(),
);

async function insertWithinQuota(
  ctx: TenantContext,
  row: typeof files.$inferInsert,
  added: StorageChange,
): Promise<FileRow[]> {
  const { projectId } = ctx;
  const insert = buildConditionalInsert(
    ctx,
    createConditionalRow(files, row, fitsQuota(ctx, projectId, added)),
  ).returning();
  return (
    isCountedByDefault(ctx)
      ? (await ctx.db.batch([buildStorageCount(ctx, projectId, { keepExisting: true }), insert]))[1]
      : await insert
  ) as FileRow[];
}

/** Returns the file of a project that has an external id in the given data source, or among the uploads. */
export function findByExternalId(
  ctx: TenantContext,
  facts: { dataSourceId?: string | null; externalFileId?: string | null },
): Promise<FileRow | undefined> {
  return ctx.db.query.files.findFirst({
    where: and(
      eq(files.projectId, ctx.projectId),
      eq(files.origin, facts.dataSourceId ?? ''),
      eq(files.externalFileId, facts.externalFileId!),
    ),
  });
}
