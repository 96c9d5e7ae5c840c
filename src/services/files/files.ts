import { and, desc, eq, isNull } from 'drizzle-orm';
import { keys } from '#src/bucket/keys.ts';
import type { WrittenObject } from '#src/bucket/object-writer.ts';
import type { TenantContext } from '#src/context/context.ts';
import { isInList } from '#src/db/is-in-list.ts';
import { afterKey, iteratePages } from '#src/db/paging.ts';
import { type FileRow, files, pipelineMembers } from '#src/db/schema/index.ts';
import { Conflict, LimitReached, NotFound } from '#src/lib/errors.ts';
import { bareId } from '#src/lib/ids.ts';
import { deleteFromIndexes, removeFromIndexes } from '#src/services/indexes/removal.ts';
import { withinScope } from '#src/services/tenancy/scope.ts';
import { deletePrefix } from './bucket.ts';
import { deleteBytes, receiveContent, toNameColumns } from './content.ts';
import { findByExternalId, insertFile } from './insert-file.ts';
import { adoptPresignedUpload } from './pending-uploads.ts';

export const MAX_EXTERNAL_ID_CHARACTERS = 3000;

type Content = Partial<Pick<FileRow, 'storageKey' | 'contentHash' | 'fileSize'>>;

export async function getFile(ctx: TenantContext, id: string): Promise<FileRow> {
  const [row] = await selectFile(ctx, id);
  if (!row) throw new NotFound('File', id);
  return row.pendingKey ? adoptPresignedUpload(ctx, row) : row;
}

/** Selects a file, for callers that combine queries. Does not check whether a pending upload has arrived. */
export function selectFile(ctx: TenantContext, id: string) {
  return ctx.db
    .select()
    .from(files)
    .where(and(eq(files.id, bareId(id)), withinScope(ctx, files.projectId)));
}

/**
 * Returns the files that the caller can access, by id. Files of others are left out. Does not check whether
 * pending uploads have arrived.
 */
export async function findFiles(ctx: TenantContext, ids: readonly string[]): Promise<Map<string, FileRow>> {
  const rows = await ctx.db
    .select()
    .from(files)
    .where(and(isInList(files.id, ids.map(bareId)), withinScope(ctx, files.projectId)));
  return new Map(rows.map((row) => [row.id, row]));
}

export function listFiles(ctx: TenantContext): AsyncGenerator<FileRow[]> {
  return iteratePages(
    (after, limit) =>
      ctx.db.query.files.findMany({
        where: and(eq(files.projectId, ctx.projectId), afterKey([files.createdAt, files.id], after, 'desc')),
        orderBy: [desc(files.createdAt), desc(files.id)],
        limit,
      }),
    (row) => [row.createdAt.getTime(), row.id],
  );
}

/** Properties of a file, without its content. */
export interface FileFacts {
  name: string;
  folder?: string | undefined;
  externalFileId?: string | null;
  contentType?: string | null;
  purpose?: string | null;
  resourceInfo?: Record<string, unknown> | null;
  permissionInfo?: Record<string, unknown> | null;
  lastModifiedAt?: Date | null;
  dataSourceId?: string | null;
}

/**
 * Creates a file whose bytes are stored under `key`. If the external id exists, the existing file keeps its
 * id and gets the new bytes.
 */
export async function storeFile(
  ctx: TenantContext,
  fileId: string,
  key: string,
  written: WrittenObject,
  facts: FileFacts,
): Promise<FileRow> {
  const content = { storageKey: key, contentHash: written.contentHash, fileSize: written.size };
  const row = await createFile(ctx, fileId, facts, content).catch(async (error: unknown) => {
    if (error instanceof LimitReached) await ctx.bucket.delete(key);
    throw error;
  });
  if (row.storageKey === key) return row;
  return receiveContent(ctx, row, key, written, () => toColumns(facts));
}

/**
 * Creates a file with the given content. Without content, its bytes are uploaded later, and `announced` is
 * their expected size in bytes. If the external id is in use, returns the existing file unchanged.
 */
export async function createFile(
  ctx: TenantContext,
  id: string,
  facts: FileFacts,
  content: Content = {},
  announced = 0,
): Promise<FileRow> {
  const row = await insertFile(ctx, { id, ...toColumns(facts), ...content }, announced);
  const stored = row ?? (await findByExternalId(ctx, facts));
  if (!stored) throw new Conflict(`A file with the external id ${facts.externalFileId} is being deleted.`);
  return stored;
}

/**
 * Converts the given properties to columns for an insert or update. Columns of other properties are omitted
 * and stay unchanged.
 */
function toColumns(facts: FileFacts): Partial<typeof files.$inferInsert> & { name: string } {
  return { ...facts, ...toNameColumns(facts.name) };
}

/**
 * Deletes a file. When this returns, queries do not find it any more. Its rows are deleted in one batch, so
 * that no pipeline can add the file in between.
 */
export async function deleteFile(ctx: TenantContext, id: string): Promise<void> {
  const { id: fileId, projectId } = await getFile(ctx, id);
  const isMember = eq(pipelineMembers.fileId, fileId);
  const inPipeline = { id: pipelineMembers.pipelineId };
  const members = await ctx.db.select(inPipeline).from(pipelineMembers).where(isMember);
  const pipelineIds = members.map((member) => member.id);
  const [left, deleted] = await deleteFromIndexes(ctx, pipelineIds, [fileId], () =>
    ctx.db.batch([
      ctx.db.delete(pipelineMembers).where(isMember).returning(inPipeline),
      ctx.db.delete(files).where(eq(files.id, fileId)).returning(),
    ]),
  );
  const addedMeanwhile = left.filter((member) => !pipelineIds.includes(member.id));
  for (const member of addedMeanwhile) await removeFromIndexes(ctx, member.id, [fileId]);
  for (const file of deleted) await deleteBytes(ctx, file);
  await deletePrefix(ctx.bucket, keys.uploads(projectId, fileId));
}

/** Condition that a file was uploaded and not loaded from a data source. */
export const isManuallyUploaded = isNull(files.dataSourceId);
