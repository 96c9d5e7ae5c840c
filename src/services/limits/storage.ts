import { and, type SQL, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { projectStorage } from '#src/db/schema/index.ts';
import type { LimitReached } from '#src/lib/errors.ts';
import { defaultOf, limitOf, reached } from './limits.ts';

/** What a change adds to a project; less than nothing is room for others. */
export interface Added {
  files: number;
  bytes: number;
}

/** As the triggers of `project_storage` count. */
const COUNTED = sql`(origin = '' or storage_key is not null)`;
const STORED_BYTES = sql`ifnull(file_size, 0) * (storage_key is not null)`;
const filesOf = (projectId: SQL) =>
  sql`(select count(*) from files counted where counted.project_id = ${projectId} and ${COUNTED})`;
const bytesOf = (projectId: SQL) =>
  sql`(select ifnull(sum(${STORED_BYTES}), 0) from files counted where counted.project_id = ${projectId})`;

/** By the row that keeps count, else file by file. */
const held = (what: 'files' | 'bytes', projectId: SQL) =>
  what === 'files'
    ? sql`coalesce((select kept.files from project_storage kept where kept.project_id = ${projectId}), ${filesOf(projectId)})`
    : sql`coalesce((select kept.bytes from project_storage kept where kept.project_id = ${projectId}), ${bytesOf(projectId)})`;

/**
 * Whether the project may have this in addition. For the statement that writes it: of two writers at the same time,
 * one finds what the other has taken. Where nothing is limited, nothing is counted.
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

/** The name of what a project has no more of, if there is something; null: there is room. */
export const fullOf = (ctx: Context, projectId: SQL): SQL<'files' | 'bytes' | null> =>
  sql`(select case
    when most.files is not null and ${held('files', projectId)} >= most.files then 'files'
    when most.bytes is not null and ${held('bytes', projectId)} >= most.bytes then 'bytes' end
    from (select ${limitOf(ctx, 'files', projectId)} as files, ${limitOf(ctx, 'bytes', projectId)} as bytes) most)`;

/** What a project holds and may hold: files and bytes. */
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

/** Why something was not written under `hasRoom`; undefined: that was not it. */
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

/** Why a project that is full takes in no further file. */
export async function whyFull(ctx: Context, projectId: string, limit: 'files' | 'bytes') {
  const storage = await storageOf(ctx, projectId);
  const { limit: most } = storage[limit];
  return most === null ? undefined : noRoom(limit, most);
}

const noRoom = (limit: 'files' | 'bytes', most: number): LimitReached =>
  reached(limit, `The project has no room left in the ${most} ${limit} that it may hold`);

/** The statement that begins to keep count of a project, or counts it anew. `unlessKept`: only where nobody does. */
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

/** Every project is limited that says nothing else: each is counted from its first file on. */
export const isCountedByDefault = ({ settings }: Context): boolean =>
  defaultOf(settings, 'files') !== null || defaultOf(settings, 'bytes') !== null;
