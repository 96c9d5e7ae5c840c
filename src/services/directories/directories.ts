import { and, desc, eq, gt, isNull, or, type SQL, sql } from 'drizzle-orm';
import type { Context, TenantContext } from '#src/context/context.ts';
import { buildConditionalInsert, createConditionalRow } from '#src/db/conditional-insert.ts';
import { isInList } from '#src/db/is-in-list.ts';
import { afterKey, buildPage, DEFAULT_PAGE_SIZE, type Page, parsePageToken } from '#src/db/paging.ts';
import { type Directory, directories } from '#src/db/schema/index.ts';
import { DAY_MS } from '#src/lib/day.ts';
import { Conflict, NotFound } from '#src/lib/errors.ts';
import { bareId, newId } from '#src/lib/ids.ts';
import { withinScope } from '#src/services/tenancy/scope.ts';
import { type DirectoryChanges, MAX_DIRECTORIES, type NewDirectory } from './input.ts';

/** Lifetime of an `ephemeral` directory in milliseconds. */
const EPHEMERAL_MS = DAY_MS;

const isNotExpired = () => or(isNull(directories.expiresAt), gt(directories.expiresAt, new Date()));

export const toDirectoryId = (id: string): string => `dir-${bareId(id)}`;

/** Returns a directory by its id, with or without the prefix `dir-`. Expired directories are not found. */
export async function getDirectory(ctx: TenantContext, id: string): Promise<Directory> {
  const row = await ctx.db.query.directories.findFirst({
    where: and(
      eq(directories.id, toDirectoryId(id)),
      withinScope(ctx, directories.projectId),
      isNotExpired(),
    ),
  });
  if (!row) throw new NotFound('Directory', id);
  return row;
}

export async function createDirectory(ctx: TenantContext, input: NewDirectory): Promise<Directory> {
  const now = new Date();
  const type = input.type ?? 'user';
  const row: Directory = {
    id: newId('dir'),
    projectId: ctx.projectId,
    name: input.name,
    description: input.description ?? null,
    type,
    systemMetadata: input.system_metadata ?? null,
    expiresAt: type === 'ephemeral' ? new Date(now.getTime() + EPHEMERAL_MS) : null,
    createdAt: now,
    updatedAt: now,
  };
  const hasRoom = sql`(select count(*) from directories where project_id = ${ctx.projectId}) < ${MAX_DIRECTORIES}`;
  const insert = createConditionalRow(directories, row, hasRoom);
  const [created] = (await buildConditionalInsert(ctx, insert).returning()) as Directory[];
  if (created) return created;
  throw new Conflict(
    `The project has ${MAX_DIRECTORIES} directories, which is the maximum. Delete others first.`,
  );
}

export interface DirectoryFilter {
  name?: string | null | undefined;
  type?: string | null | undefined;
  types?: string[] | null | undefined;
  page_size?: number | null | undefined;
  page_token?: string | null | undefined;
}

/** Returns a page of the project's directories, newest first. */
export async function getDirectoryPage(
  ctx: TenantContext,
  query: DirectoryFilter,
): Promise<Page<Directory> & { total_size: number }> {
  const key = parsePageToken(query.page_token, ['number', 'string']);
  const pageSize = query.page_size ?? DEFAULT_PAGE_SIZE;
  const where = and(
    eq(directories.projectId, ctx.projectId),
    isNotExpired(),
    query.name ? eq(directories.name, query.name) : undefined,
    query.type ? sql`${directories.type} = ${query.type}` : undefined,
    query.types?.length ? isInList(directories.type, query.types) : undefined,
  );
  const [rows, total] = await Promise.all([
    selectDirectories(ctx, and(where, afterKey([directories.createdAt, directories.id], key, 'desc'))).limit(
      pageSize + 1,
    ),
    ctx.db.$count(directories, where),
  ]);
  return { ...buildPage(rows, pageSize, (row) => [row.createdAt.getTime(), row.id]), total_size: total };
}

const selectDirectories = ({ db }: Context, where: SQL | undefined) =>
  db
    .select()
    .from(directories)
    .where(where)
    .orderBy(desc(directories.createdAt), desc(directories.id))
    .$dynamic();

export async function updateDirectory(
  ctx: TenantContext,
  id: string,
  changes: DirectoryChanges,
): Promise<Directory> {
  const before = await getDirectory(ctx, id);
  const { name, description } = changes;
  const [row] = await ctx.db
    .update(directories)
    // An absent or null name stays. A null description is removed.
    .set({ name: name ?? undefined, description, updatedAt: new Date() })
    .where(eq(directories.id, before.id))
    .returning();
  if (!row) throw new NotFound('Directory', id);
  return row;
}

/** Deletes a directory. Its files stay in the project. */
export async function deleteDirectory(ctx: TenantContext, id: string): Promise<void> {
  const { id: stored } = await getDirectory(ctx, id);
  await ctx.db.delete(directories).where(eq(directories.id, stored));
}
