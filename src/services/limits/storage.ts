import { and, type SQL, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { projectStorage } from '#src/db/schema/index.ts';
import type { LimitReached } from '#src/lib/errors.ts';
import { createLimitError, getDefaultLimit, selectLimit, selectOwnLimit } from './limits.ts';

/** Change in a project's storage, in files and bytes. A negative value frees quota. */
export interface StorageChange {
  files: number;
  bytes: number;
}

/**
 * Condition under which a file counts towards the limit. The triggers of `project_storage` use the same
 * condition.
 */
const COUNTED = sql`(origin = '' or storage_key is not null)`;
const STORED_BYTES = sql`ifnull(file_size, 0) * (storage_key is not null)`;
const countFiles = (projectId: SQL) =>
  sql`(select count(*) from files counted where counted.project_id = ${projectId} and ${COUNTED})`;
const sumBytes = (projectId: SQL) =>
  sql`(select ifnull(sum(${STORED_BYTES}), 0) from files counted where counted.project_id = ${projectId})`;

/**
 * Returns SQL for the used files or bytes: the stored counter if there is one, otherwise a count of the
 * files.
 */
const selectUsage = (what: 'files' | 'bytes', projectId: SQL) =>
  what === 'files'
    ? sql`coalesce((select kept.files from project_storage kept where kept.project_id = ${projectId}), ${countFiles(projectId)})`
    : sql`coalesce((select kept.bytes from project_storage kept where kept.project_id = ${projectId}), ${sumBytes(projectId)})`;

/**
 * Returns the SQL condition that added files and bytes fit the project's limits. The condition must be part
 * of the statement that writes, so that concurrent writes cannot exceed the limits. Without a limit, nothing
 * is counted.
 */
export function fitsQuota(ctx: Context, projectId: string, { files, bytes }: StorageChange): SQL {
  const id = sql`${projectId}`;
  return and(
    ...(files > 0 ? [isWithin('files', selectLimit(ctx, 'files', id), id, sql`${files}`)] : []),
    ...(bytes > 0 ? [isWithin('bytes', selectLimit(ctx, 'bytes', id), id, sql`${bytes}`)] : []),
    sql`true`,
  )!;
}

/**
 * Returns the same condition as `fitsQuota` for one file of `bytes`, for a statement that is prepared once. Only for
 * installations without default limits; see `isCountedByDefault`.
 */
export const fitsOwnQuota = (projectId: SQL, bytes: SQL): SQL =>
  sql`${isWithin('files', selectOwnLimit('files', projectId), projectId, sql`1`)}
    and ${isWithin('bytes', selectOwnLimit('bytes', projectId), projectId, bytes)}`;

const isWithin = (what: 'files' | 'bytes', limit: SQL<number | null>, projectId: SQL, added: SQL): SQL =>
  sql`(${limit} is null or ${selectUsage(what, projectId)} + ${added} <= ${limit})`;

/** Returns SQL for the name of the exhausted limit, or null if none is exhausted. */
export const selectExhaustedQuota = (ctx: Context, projectId: SQL): SQL<'files' | 'bytes' | null> =>
  sql`(select case
    when most.files is not null and ${selectUsage('files', projectId)} >= most.files then 'files'
    when most.bytes is not null and ${selectUsage('bytes', projectId)} >= most.bytes then 'bytes' end
    from (select ${selectLimit(ctx, 'files', projectId)} as files, ${selectLimit(ctx, 'bytes', projectId)} as bytes) most)`;

export async function getStorageUsage(ctx: Context, projectId: string) {
  const id = sql`${projectId}`;
  const [row] = await ctx.db.all<Record<'files' | 'bytes', number> & Record<LimitColumn, number | null>>(
    sql`select ${selectUsage('files', id)} as files, ${selectUsage('bytes', id)} as bytes,
      ${selectLimit(ctx, 'files', id)} as filesLimit, ${selectLimit(ctx, 'bytes', id)} as bytesLimit`,
  );
  const { files = 0, bytes = 0, filesLimit = null, bytesLimit = null } = row ?? {};
  return { files: { used: files, limit: filesLimit }, bytes: { used: bytes, limit: bytesLimit } };
}
type LimitColumn = 'filesLimit' | 'bytesLimit';

/**
 * Returns the error for a write that the condition `fitsQuota` rejected. Returns `undefined` if the limits
 * were not the reason.
 */
export async function findQuotaError(
  ctx: Context,
  projectId: string,
  added: StorageChange,
): Promise<LimitReached | undefined> {
  const { files, bytes } = await getStorageUsage(ctx, projectId);
  if (added.files > 0 && files.limit !== null && files.used + added.files > files.limit)
    return createQuotaError('files', files.limit);
  if (added.bytes > 0 && bytes.limit !== null && bytes.used + added.bytes > bytes.limit)
    return createQuotaError('bytes', bytes.limit);
  return undefined;
}

/**
 * Returns the error for a project that has exhausted its limit of files or bytes. Returns `undefined` if the
 * project has no such limit.
 */
export async function findExhaustedQuotaError(ctx: Context, projectId: string, limit: 'files' | 'bytes') {
  const storage = await getStorageUsage(ctx, projectId);
  const { limit: most } = storage[limit];
  return most === null ? undefined : createQuotaError(limit, most);
}

const createQuotaError = (limit: 'files' | 'bytes', most: number): LimitReached =>
  createLimitError(limit, `The project has reached its storage limit of ${most} ${limit}`);

/**
 * Returns a statement that counts a project's storage and stores the counter. With `keepExisting`, an
 * existing counter is not changed.
 */
export function buildStorageCount(
  { db }: Pick<Context, 'db'>,
  projectId: string,
  { keepExisting = false } = {},
) {
  const id = sql`${projectId}`;
  return db
    .insert(projectStorage)
    .select(
      sql`select projects.id, ${countFiles(id)}, ${sumBytes(id)} from projects where projects.id = ${id}
        and not (${Number(keepExisting)} and exists (select 1 from project_storage kept where kept.project_id = ${id}))`,
    )
    .onConflictDoUpdate({
      target: projectStorage.projectId,
      set: { files: sql`excluded.files`, bytes: sql`excluded.bytes` },
    });
}

/**
 * Returns whether the installation has a default storage limit. New projects are then counted from their
 * first file.
 */
export const isCountedByDefault = ({ settings }: Context): boolean =>
  getDefaultLimit(settings, 'files') !== null || getDefaultLimit(settings, 'bytes') !== null;
