import { and, asc, eq, getTableColumns, gt, isNull, ne, type SQL, sql } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { whereFiles } from '#src/db/pipeline-members.ts';
import { directoryFiles, directoryIndexes, pipelineMembers, pipelines } from '#src/db/schema/index.ts';
import { Conflict, NotFound } from '#src/lib/errors.ts';
import { bareId } from '#src/lib/ids.ts';
import { getDirectory, toDirectoryId } from '#src/services/directories/directories.ts';
import { removePipelineFiles } from '#src/services/pipelines/bulk-files.ts';
import { addPipelineFiles } from '#src/services/pipelines/pipeline-files.ts';
import { startSync } from '#src/services/pipelines/sync.ts';

const FILES_PER_STEP = 500;

/**
 * Adds the files of the directory to its index, removes other uploaded files from the index, and syncs it. A pipeline without a
 * directory is only synced. Throws `Conflict` if the directory was deleted.
 */
export async function syncDirectoryIndex(ctx: TenantContext, pipelineId: string): Promise<void> {
  const row = await ctx.db.query.directoryIndexes.findFirst({
    where: eq(directoryIndexes.pipelineId, pipelineId),
  });
  if (row) {
    await requireDirectory(ctx, row.directoryId);
    await copyFiles(ctx, pipelineId, row.directoryId);
    await ctx.db
      .update(directoryIndexes)
      .set({ syncedAt: new Date(), updatedAt: row.updatedAt })
      .where(eq(directoryIndexes.pipelineId, pipelineId));
  }
  await startSync(ctx, pipelineId);
}

async function requireDirectory(ctx: TenantContext, directoryId: string): Promise<void> {
  await getDirectory(ctx, directoryId).catch((error: unknown) => {
    if (!(error instanceof NotFound)) throw error;
    throw new Conflict(
      `The source directory ${directoryId} does not exist any more. The index can still be searched.`,
    );
  });
}

/**
 * Adds a file of a directory to the indexes that follow the directory at once. If the file has left the directory,
 * removes it from them. Both ids may have prefixes.
 */
export async function followDirectoryFile(
  ctx: TenantContext,
  directoryName: string,
  fileName: string,
): Promise<void> {
  const [directoryId, fileId] = [toDirectoryId(directoryName), bareId(fileName)];
  const followers = await ctx.db
    .select({ id: pipelines.id })
    .from(directoryIndexes)
    .innerJoin(pipelines, eq(pipelines.id, directoryIndexes.pipelineId))
    .where(
      and(
        eq(directoryIndexes.directoryId, directoryId),
        ne(directoryIndexes.syncFrequency, 'manual'),
        ne(pipelines.status, 'DELETING'),
      ),
    );
  let failure: unknown;
  for (const { id } of followers) {
    try {
      await copyFile(ctx, id, directoryId, fileId);
      await ctx.db
        .update(directoryIndexes)
        .set({ syncedAt: new Date() })
        .where(eq(directoryIndexes.pipelineId, id));
    } catch (error) {
      // An index that is being deleted or that takes no files does not stop the others.
      if (!(error instanceof Conflict || error instanceof NotFound)) failure ??= error;
    }
  }
  if (failure) throw failure;
}

/** Maximum number of times that a file is compared, because other requests may change the directory meanwhile. */
const MAX_COMPARISONS = 3;

async function copyFile(
  ctx: TenantContext,
  pipelineId: string,
  directoryId: string,
  fileId: string,
): Promise<void> {
  for (let round = 0; round < MAX_COMPARISONS; round += 1)
    if (!(await copyFiles(ctx, pipelineId, directoryId, fileId))) return;
}

/**
 * Copies the files of a directory to a pipeline and removes others, or does so for one file only. Returns whether
 * anything was copied or removed.
 */
async function copyFiles(
  ctx: TenantContext,
  pipelineId: string,
  directoryId: string,
  fileId?: string,
): Promise<boolean> {
  let hasChanged = false;
  for (let after = ''; ; ) {
    const changed = await selectChanged(ctx, pipelineId, directoryId, [
      gt(directoryFiles.fileId, after),
      fileId === undefined ? undefined : eq(directoryFiles.fileId, fileId),
    ]);
    if (changed.length === 0) break;
    const added = changed.map((entry) => ({ file_id: entry.fileId, custom_metadata: entry.metadata }));
    await addPipelineFiles(ctx, pipelineId, added);
    hasChanged = true;
    after = changed.at(-1)!.fileId;
  }
  for (let after = ''; ; ) {
    const left = await selectLeft(ctx, pipelineId, directoryId, [
      gt(pipelineMembers.documentId, after),
      fileId === undefined ? undefined : eq(pipelineMembers.documentId, fileId),
    ]);
    if (left.length === 0) return hasChanged;
    await removePipelineFiles(ctx, pipelineId, { file_ids: left.map(({ documentId }) => documentId) });
    hasChanged = true;
    after = left.at(-1)!.documentId;
  }
}

/** Selects files of a directory that the pipeline does not contain, or contains with other metadata. */
function selectChanged(
  ctx: TenantContext,
  pipelineId: string,
  directoryId: string,
  conditions: (SQL | undefined)[],
) {
  const isMember = and(
    whereFiles(pipelineId),
    eq(pipelineMembers.documentId, directoryFiles.fileId),
    sql`coalesce(${pipelineMembers.customMetadata}, '{}') = ${directoryFiles.metadata}`,
  );
  return ctx.db
    .select(getTableColumns(directoryFiles))
    .from(directoryFiles)
    .leftJoin(pipelineMembers, isMember)
    .where(and(eq(directoryFiles.directoryId, directoryId), isNull(pipelineMembers.id), ...conditions))
    .orderBy(asc(directoryFiles.fileId))
    .limit(FILES_PER_STEP);
}

/** Selects uploaded files of a pipeline that the directory does not contain. */
function selectLeft(
  ctx: TenantContext,
  pipelineId: string,
  directoryId: string,
  conditions: (SQL | undefined)[],
) {
  const isEntry = and(
    eq(directoryFiles.directoryId, directoryId),
    eq(directoryFiles.fileId, pipelineMembers.documentId),
  );
  return ctx.db
    .select({ documentId: pipelineMembers.documentId })
    .from(pipelineMembers)
    .leftJoin(directoryFiles, isEntry)
    .where(
      and(
        whereFiles(pipelineId),
        isNull(pipelineMembers.dataSourceId),
        isNull(directoryFiles.fileId),
        ...conditions,
      ),
    )
    .orderBy(asc(pipelineMembers.documentId))
    .limit(FILES_PER_STEP);
}
