import { and, type SQL, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { projectStorage } from '#src/db/schema/index.ts';
import type { LimitReached } from '#src/lib/errors.ts';
import { defaultOf, limitOf, reached } from './limits.ts';

/** Change in a project's storage, in files and bytes. A negative value frees quota. */
export interface Added {
  files: number;
  bytes: number;
}

/** Condition under which the triggers of `project_storage` count a file. */
const COUNTED = sql`(origin = '' or storage_key is not null)`;
const STORED_BYTES = sql`ifnull(file_size, 0) * (storage_key is not null)`;
const filesOf = (projectId: SQL) =>
  sql`(select count(*) from files counted where counted.project_id = ${projectId} and ${COUNTED})`;
const bytesOf = (projectId: SQL) =>
  sql`(select ifnull(sum(${STORED_BYTES}), 0) from files counted where counted.project_id = ${projectId})`;

/** Reads the stored counter if there is one, otherwise counts the files. */
const held = (what: 'files' | 'bytes', projectId: SQL) =>
  what === 'files'
    ? sql`coalesce((select kept.files from project_storage kept where kept.project_id = ${projectId}), ${filesOf(projectId)})`
    : sql`coalesce((select kept.bytes from project_storage kept where kept.project_id = ${projectId}), ${bytesOf(projectId)})`;

/**
 * Condition that the project's quota allows the addition. It is part of the writing statement, so that
 * concurrent writers see each other. Without a limit nothing is counted.
 */
export function hasRoom(ctx: Context, projectId: string, { files, bytes }: Added): SQL {
  const within = (what: 'files' | 'bytes', added: number) => {
    const limit = limitOf(ctx, what, sql`${projectId}`);
    return sql`(${limit} is null or ${held(what, sql`${projectId}`)} + ${added} <= ${limit})`;
  };
  return and(
    ...(files > 0 ? [within('files', files)] : []),
    ...(bytes > 0 ? [within('bytes', bytes)] : []),
    sql`true`,
  )!;
}

/** Column with the name of the exhausted quota, or null. */
export const fullOf = (ctx: Context, projectId: SQL): SQL<'files' | 'bytes' | null> =>
  sql`(select case
    when most.files is not null and ${held('files', projectId)} >= most.files then 'files'
    when most.bytes is not null and ${held('bytes', projectId)} >= most.bytes then 'bytes' end
    from (select ${limitOf(ctx, 'files', projectId)} as files, ${limitOf(ctx, 'bytes', projectId)} as bytes) most)`;

/** Returns the used and allowed files and bytes of a project. */
export async function storageOf(ctx: Context, projectId: string) {
  const id = sql`${projectId}`;
  const [row] = await ctx.db.all<Record<'files' | 'bytes', number> & Record<Limited, number | null>>(
    sql`select ${held('files', id)} as files, ${held('bytes', id)} as bytes,
      ${limitOf(ctx, 'files', id)} as filesLimit, ${limitOf(ctx, 'bytes', id)} as bytesLimit`,
  );
  const { files = 0, bytes = 0, filesLimit = null, bytesLimit = null } = row ?? {};
  return { files: { used: files, limit: filesLimit }, bytes: { used: bytes, limit: bytesLimit } };
}
type Limited = 'filesLimit' | 'bytesLimit';

/** Returns the error if `hasRoom` rejected a write; undefined if it was not the reason. */
export async function whyNoRoom(
  ctx: Context,
  projectId: string,
  added: Added,
): Promise<LimitReached | undefined> {
  const { files, bytes } = await storageOf(ctx, projectId);
  if (added.files > 0 && files.limit !== null && files.used + added.files > files.limit)
    return noRoom('files', files.limit);
  if (added.bytes > 0 && bytes.limit !== null && bytes.used + added.bytes > bytes.limit)
    return noRoom('bytes', bytes.limit);
  return undefined;
}

/** Returns the error for a project whose quota is exhausted; undefined if the quota has no limit. */
export async function whyFull(ctx: Context, projectId: string, limit: 'files' | 'bytes') {
  const storage = await storageOf(ctx, projectId);
  const { limit: most } = storage[limit];
  return most === null ? undefined : noRoom(limit, most);
}

const noRoom = (limit: 'files' | 'bytes', most: number): LimitReached =>
  reached(limit, `The project has no room left in the ${most} ${limit} that it may hold`);

/**
 * Statement that starts counting a project or counts it again. With `unlessKept` an existing counter stays.
 */
export function countStorage({ db }: Pick<Context, 'db'>, projectId: string, { unlessKept = false } = {}) {
  const id = sql`${projectId}`;
  return db
    .insert(projectStorage)
    .select(
      sql`select projects.id, ${filesOf(id)}, ${bytesOf(id)} from projects where projects.id = ${id}
        and not (${Number(unlessKept)} and exists (select 1 from project_storage kept where kept.project_id = ${id}))`,
    )
    .onConflictDoUpdate({
      target: projectStorage.projectId,
      set: { files: sql`excluded.files`, bytes: sql`excluded.bytes` },
    });
}

/**
 * Returns whether the installation has a default limit, so that every project is counted from its first file.
 */
export const isCountedByDefault = ({ settings }: Context): boolean =>
  defaultOf(settings, 'files') !== null || defaultOf(settings, 'bytes') !== null;
