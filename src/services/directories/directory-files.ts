import { and, desc, eq, gte, lte, type SQL, sql } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { buildConditionalInsert, createConditionalRow } from '#src/db/conditional-insert.ts';
import { containsRegardlessOfCase } from '#src/db/contains.ts';
import { afterKey, buildPage, DEFAULT_PAGE_SIZE, type Page, parsePageToken } from '#src/db/paging.ts';
import {
  type Directory,
  type DirectoryFile,
  directoryFiles,
  type FileRow,
  files,
} from '#src/db/schema/index.ts';
import { Conflict, NotFound } from '#src/lib/errors.ts';
import { bareId } from '#src/lib/ids.ts';
import { getFile } from '#src/services/files/files.ts';
import { getDirectory } from './directories.ts';
import { type DirectoryFileChanges, type FileLabels, MAX_DIRECTORY_FILES } from './input.ts';

/** File of a directory, with the file's row. */
export interface DirectoryEntry {
  entry: DirectoryFile;
  file: FileRow;
}

/** Returns a file of a directory. `id` is the id of the file, with or without the prefix `dfl-`. */
export async function getDirectoryFile(
  ctx: TenantContext,
  directoryId: string,
  id: string,
): Promise<DirectoryEntry> {
  const directory = await getDirectory(ctx, directoryId);
  const [row] = await selectEntries(
    ctx,
    and(eq(directoryFiles.directoryId, directory.id), eq(directoryFiles.fileId, bareId(id))),
  );
  if (!row) throw new NotFound('Directory file', id);
  return row;
}

const selectEntries = ({ db }: TenantContext, where: SQL | undefined) =>
  db
    .select({ entry: directoryFiles, file: files })
    .from(directoryFiles)
    .innerJoin(files, eq(files.id, directoryFiles.fileId))
    .where(where)
    .orderBy(desc(directoryFiles.createdAt), desc(directoryFiles.fileId))
    .$dynamic();

export interface DirectoryFileFilter {
  display_name?: string | null | undefined;
  display_name_contains?: string | null | undefined;
  unique_id?: string | null | undefined;
  file_id?: string | null | undefined;
  updated_at_on_or_after?: string | null | undefined;
  updated_at_on_or_before?: string | null | undefined;
  page_size?: number | null | undefined;
  page_token?: string | null | undefined;
}

/** Returns a page of the files of a directory. Files that were added last come first. */
export async function getDirectoryFilePage(
  ctx: TenantContext,
  directoryId: string,
  query: DirectoryFileFilter,
): Promise<Page<DirectoryEntry> & { total_size: number }> {
  const directory = await getDirectory(ctx, directoryId);
  const key = parsePageToken(query.page_token, ['number', 'string']);
  const pageSize = query.page_size ?? DEFAULT_PAGE_SIZE;
  const { createdAt, fileId } = directoryFiles;
  const where = and(eq(directoryFiles.directoryId, directory.id), buildConditions(query));
  const [rows, total] = await Promise.all([
    selectEntries(ctx, and(where, afterKey([createdAt, fileId], key, 'desc'))).limit(pageSize + 1),
    ctx.db.$count(directoryFiles, where),
  ]);
  const page = buildPage(rows, pageSize, ({ entry }) => [entry.createdAt.getTime(), entry.fileId]);
  return { ...page, total_size: total };
}

function buildConditions(query: DirectoryFileFilter): SQL | undefined {
  const { displayName, uniqueId, fileId, updatedAt } = directoryFiles;
  const part = query.display_name_contains;
  const { updated_at_on_or_after: from, updated_at_on_or_before: until } = query;
  return and(
    query.display_name ? eq(displayName, query.display_name) : undefined,
    part ? containsRegardlessOfCase(displayName, part, ['query', 'display_name_contains']) : undefined,
    query.unique_id ? eq(uniqueId, query.unique_id) : undefined,
    query.file_id ? eq(fileId, bareId(query.file_id)) : undefined,
    from ? gte(updatedAt, new Date(from)) : undefined,
    until ? lte(updatedAt, new Date(until)) : undefined,
  );
}

/** Adds a file of the directory's project to the directory. */
export async function addDirectoryFile(
  ctx: TenantContext,
  directoryId: string,
  { file_id, ...labels }: { file_id: string } & FileLabels,
): Promise<DirectoryEntry> {
  const directory = await getDirectory(ctx, directoryId);
  const file = await getFile(ctx, file_id);
  if (file.projectId !== directory.projectId) throw new NotFound('File', file_id);
  return insertEntry(ctx, directory, file, labels);
}

export async function insertEntry(
  ctx: TenantContext,
  directory: Directory,
  file: FileRow,
  labels: FileLabels,
): Promise<DirectoryEntry> {
  const now = new Date();
  const row: DirectoryFile = {
    directoryId: directory.id,
    fileId: file.id,
    projectId: directory.projectId,
    uniqueId: labels.unique_id ?? file.externalFileId ?? file.name,
    displayName: labels.display_name ?? file.name,
    metadata: labels.metadata ?? {},
    createdAt: now,
    updatedAt: now,
  };
  // The file may have been deleted, and the directory too, since both were read.
  const condition = sql`${hasRoom(directory.id)} and exists (select 1 from files where id = ${file.id})
    and exists (select 1 from directories where id = ${directory.id})`;
  const insert = buildConditionalInsert(ctx, createConditionalRow(directoryFiles, row, condition));
  const [entry] = (await insert.returning()) as DirectoryFile[];
  if (entry) return { entry, file };
  await requireFree(ctx, directory.id, row);
  await getFile(ctx, file.id);
  await getDirectory(ctx, directory.id);
  throw createFullConflict();
}

const hasRoom = (directoryId: string): SQL =>
  sql`(select count(*) from directory_files where directory_id = ${directoryId}) < ${MAX_DIRECTORY_FILES}`;

/** Throws Conflict if the directory contains the file, or another file with the same `unique_id`. */
async function requireFree(
  { db }: TenantContext,
  directoryId: string,
  { fileId, uniqueId }: Pick<DirectoryFile, 'fileId' | 'uniqueId'>,
): Promise<void> {
  const own = eq(directoryFiles.directoryId, directoryId);
  const same = await db.query.directoryFiles.findFirst({
    where: and(own, eq(directoryFiles.fileId, fileId)),
  });
  if (same) throw new Conflict(`Directory ${directoryId} contains file dfl-${fileId} already.`);
  const other = await db.query.directoryFiles.findFirst({
    where: and(own, eq(directoryFiles.uniqueId, uniqueId)),
  });
  if (other) throw createTakenConflict(directoryId, uniqueId);
}

export const createTakenConflict = (directoryId: string, uniqueId: string) =>
  new Conflict(
    `Directory ${directoryId} has another file with the unique_id ${JSON.stringify(uniqueId.slice(0, 200))}. ` +
      'Send another unique_id, or delete that file from the directory first.',
  );

export const createFullConflict = () =>
  new Conflict(
    `A directory can have ${MAX_DIRECTORY_FILES} files. Delete others first, or use another directory.`,
  );

/** Changes the labels of a file in a directory, and moves it to another directory of the project if asked. */
export async function updateDirectoryFile(
  ctx: TenantContext,
  directoryId: string,
  id: string,
  changes: DirectoryFileChanges,
): Promise<DirectoryEntry> {
  const { entry: before, file } = await getDirectoryFile(ctx, directoryId, id);
  const target = await findTarget(ctx, before, changes.target_directory_id ?? changes.directory_id);
  const uniqueId = changes.unique_id ?? before.uniqueId;
  const isTaken = sql`exists (select 1 from directory_files other where other.directory_id = ${target}
    and other.file_id <> ${file.id} and other.unique_id = ${uniqueId})`;
  const isMoved = target !== before.directoryId;
  const canMove = sql`(${hasRoom(target)} and exists (select 1 from directories where id = ${target})
    and not exists (select 1 from directory_files other
      where other.directory_id = ${target} and other.file_id = ${file.id}))`;
  const [entry] = await ctx.db
    .update(directoryFiles)
    .set({
      directoryId: target,
      uniqueId: changes.unique_id ?? undefined,
      displayName: changes.display_name ?? undefined,
      metadata: changes.metadata ?? undefined,
      updatedAt: new Date(),
    })
    .where(
      and(
        eq(directoryFiles.directoryId, before.directoryId),
        eq(directoryFiles.fileId, file.id),
        sql`not ${isTaken}`,
        isMoved ? canMove : undefined,
      ),
    )
    .returning();
  if (entry) return { entry, file };
  await getDirectoryFile(ctx, directoryId, id);
  if (isMoved) await requireFree(ctx, target, { fileId: file.id, uniqueId });
  if (!isMoved) throw createTakenConflict(target, uniqueId);
  await getDirectory(ctx, target);
  throw createFullConflict();
}

/** Returns the id of the directory that a change names, or of the present one. */
async function findTarget(
  ctx: TenantContext,
  { directoryId, projectId }: DirectoryFile,
  wanted: string | null | undefined,
): Promise<string> {
  if (!wanted) return directoryId;
  const target = await getDirectory(ctx, wanted);
  if (target.projectId !== projectId) throw new NotFound('Directory', wanted);
  return target.id;
}

/** Removes a file from a directory. The file itself stays in the project. */
export async function deleteDirectoryFile(
  ctx: TenantContext,
  directoryId: string,
  id: string,
): Promise<void> {
  const { entry } = await getDirectoryFile(ctx, directoryId, id);
  await ctx.db
    .delete(directoryFiles)
    .where(and(eq(directoryFiles.directoryId, entry.directoryId), eq(directoryFiles.fileId, entry.fileId)));
}
