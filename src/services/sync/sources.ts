import { and, eq, isNotNull, sql } from 'drizzle-orm';
import { keys } from '#src/bucket/keys.ts';
import { writeStream } from '#src/bucket/object-writer.ts';
import type { Context } from '#src/context/context.ts';
import { isInList } from '#src/db/is-in-list.ts';
import { fileMemberColumns, whereFile, whereFiles } from '#src/db/pipeline-members.ts';
import {
  type DataSource,
  dataSources,
  type FileRow,
  files,
  type Pipeline,
  pipelineDataSources,
  pipelineMembers,
} from '#src/db/schema/index.ts';
import { DomainError, getErrorMessage } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { deletePrefix } from '#src/services/files/bucket.ts';
import { deleteBytes, maxFileBytes, replaceContent } from '#src/services/files/content.ts';
import { removeFromIndexes } from '#src/services/indexes/removal.ts';
import type { Assignment, Claim, Outcome, WorkItem } from '#src/work/sync-owner.ts';
import { type ListingTarget, recordListed } from './listed-entries.ts';
import { getOpenSource, type PipelineRun } from './opened-sources.ts';

type SourceItem = Extract<WorkItem, { kind: 'source' }>;

const MAX_REMOVED_AT_ONCE = 200;

/** Marks data sources as in progress. Returns a sync item for the first listing page of each data source. */
export async function beginSources(
  ctx: Context,
  pipelineId: string,
  { sources, jobId }: Assignment,
): Promise<WorkItem[]> {
  const wanted = and(
    eq(pipelineDataSources.pipelineId, pipelineId),
    sources === 'all' ? undefined : isInList(pipelineDataSources.dataSourceId, sources),
  );
  const rows = await ctx.db
    .update(pipelineDataSources)
    .set({ status: 'IN_PROGRESS', statusUpdatedAt: new Date(), error: null, jobId })
    .where(wanted)
    .returning({ dataSourceId: pipelineDataSources.dataSourceId });
  return rows.map(({ dataSourceId }) => createPageItem(dataSourceId, 0, null));
}

function createPageItem(dataSourceId: string, page: number, cursor: string | null): SourceItem {
  return { id: `source:${dataSourceId}:${page}`, kind: 'source', dataSourceId, page, cursor };
}

/**
 * Reads one page of a data source's listing, and records new and changed files. After the last page, removes
 * files that are no longer listed. If some entries could not be read, nothing is removed, and the data source
 * fails.
 */
export async function readSourcePage(
  ctx: Context,
  pipeline: Pipeline,
  item: SourceItem,
  { generation, jobId }: Extract<Claim, { go: true }>,
): Promise<Outcome> {
  const { dataSourceId, page, cursor } = item;
  const [row] = await ctx.db
    .select({ source: dataSources })
    .from(pipelineDataSources)
    .innerJoin(dataSources, eq(dataSources.id, pipelineDataSources.dataSourceId))
    .where(
      and(
        eq(pipelineDataSources.pipelineId, pipeline.id),
        eq(pipelineDataSources.dataSourceId, dataSourceId),
      ),
    );
  if (!row) return { counters: {} };
  const target: ListingTarget = { ctx, pipeline, source: row.source, generation };
  try {
    const { source, capabilities } = await getOpenSource(ctx, { pipelineId: pipeline.id, jobId }, row.source);
    const listed = await source.list(cursor);
    const changed = await recordListed(target, listed.entries);
    const counters = { listed: listed.entries.length, changed };
    if (listed.cursor !== null)
      return { counters, next: [createPageItem(dataSourceId, page + 1, listed.cursor)] };
    const { leftOut = 0 } = listed;
    if (leftOut > 0)
      return await failSource(target, jobId, describeOmittedEntries(row.source, leftOut), counters);
    return { counters: { ...counters, ...(await removeVanished(target, capabilities.versionNamesContent)) } };
  } catch (error) {
    if (!(error instanceof DomainError) || error.retryable) throw error;
    return failSource(target, jobId, getErrorMessage(error));
  }
}

function describeOmittedEntries({ name }: DataSource, leftOut: number): string {
  const entries = leftOut === 1 ? 'one entry' : `${leftOut} entries`;
  return `The data source "${name}" listed ${entries} that cannot be read, so no file of an earlier sync was removed.`;
}

/** Marks the data source as failed, and returns the outcome of the item that read the page. */
async function failSource(
  { ctx, pipeline, source }: ListingTarget,
  jobId: string,
  message: string,
  counters: Outcome['counters'] = {},
): Promise<Outcome> {
  const failure = { message, step: 'DATA_SOURCE' as const };
  await ctx.db
    .update(pipelineDataSources)
    .set({ status: 'ERROR', statusUpdatedAt: new Date(), error: { job_id: jobId, ...failure } })
    .where(
      and(eq(pipelineDataSources.pipelineId, pipeline.id), eq(pipelineDataSources.dataSourceId, source.id)),
    );
  return { counters: { ...counters, failed: 1 }, error: failure };
}

/**
 * Removes files that the data source no longer lists. With `followsRenames`, renamed files are recognized and
 * kept.
 */
async function removeVanished(
  target: ListingTarget,
  followsRenames: boolean,
): Promise<{ renamed?: number; removed?: number }> {
  const { ctx, pipeline, source, generation } = target;
  const counters: { renamed?: number; removed?: number } = {};
  for (;;) {
    const vanished = await ctx.db
      .select({ file: files })
      .from(pipelineMembers)
      .innerJoin(files, eq(files.id, pipelineMembers.fileId))
      .where(
        and(
          whereFiles(pipeline.id),
          eq(pipelineMembers.dataSourceId, source.id),
          eq(files.origin, source.id),
          sql`coalesce(${pipelineMembers.sourceGeneration}, 0) < ${generation}`,
        ),
      )
      .limit(MAX_REMOVED_AT_ONCE);
    const gone: string[] = [];
    for (const { file } of vanished) {
      if (followsRenames && (await followRename(target, file))) {
        counters.renamed = (counters.renamed ?? 0) + 1;
      } else gone.push(file.id);
    }
    await removeSourceFiles(ctx, pipeline.id, gone);
    if (gone.length > 0) counters.removed = (counters.removed ?? 0) + gone.length;
    if (vanished.length < MAX_REMOVED_AT_ONCE) return counters;
  }
}

/**
 * If a new entry has the same version as a file that disappeared, treats the entry as this file after a
 * rename. The file keeps its id, content and index entry. Returns false if there is no such entry.
 */
async function followRename(
  { ctx, pipeline, source, generation }: ListingTarget,
  old: FileRow,
): Promise<boolean> {
  if (!old.fetchedVersion || old.fetchedVersion !== old.sourceVersion) return false;
  const [found] = await ctx.db
    .select({ file: files })
    .from(files)
    .innerJoin(pipelineMembers, and(whereFiles(pipeline.id), eq(pipelineMembers.documentId, files.id)))
    .where(
      and(
        eq(files.projectId, pipeline.projectId),
        eq(files.origin, source.id),
        eq(files.sourceVersion, old.sourceVersion),
        sql`${files.storageKey} is null`,
        eq(pipelineMembers.sourceGeneration, generation),
      ),
    )
    .limit(1);
  if (!found) return false;
  const { id, name, externalFileId, fileType, lastModifiedAt, resourceInfo, permissionInfo } = found.file;
  // Other pipelines may already contain the file that was created for the new entry, so their rows are
  // changed to the renamed file.
  const twin = (fileId: string) => sql`from pipeline_members twin
    where twin.pipeline_id = pipeline_members.pipeline_id and twin.file_id = ${fileId}`;
  await ctx.db.batch([
    ctx.db
      .update(pipelineMembers)
      .set({
        sourceGeneration: sql`(select max(twin.source_generation,
          coalesce(pipeline_members.source_generation, 0)) ${twin(id)})`,
      })
      .where(and(eq(pipelineMembers.fileId, old.id), sql`exists (select 1 ${twin(id)})`)),
    ctx.db
      .update(pipelineMembers)
      .set({ fileId: old.id, documentId: old.id })
      .where(and(eq(pipelineMembers.fileId, id), sql`not exists (select 1 ${twin(old.id)})`)),
    ctx.db.delete(pipelineMembers).where(eq(pipelineMembers.fileId, id)),
    ctx.db.delete(files).where(eq(files.id, id)),
    ctx.db
      .update(files)
      .set({ name, externalFileId, fileType, lastModifiedAt, resourceInfo, permissionInfo })
      .where(eq(files.id, old.id)),
    ctx.db
      .update(pipelineMembers)
      .set({ sourceGeneration: generation })
      .where(whereFile(pipeline.id, old.id)),
  ]);
  return true;
}

/**
 * Removes files of data sources that are no longer in the pipeline. Such files remain if the removal of a
 * data source was interrupted.
 */
export async function removeFilesOfFormerSources(ctx: Context, pipelineId: string): Promise<void> {
  for (;;) {
    const left = await ctx.db
      .select({ fileId: fileMemberColumns.fileId })
      .from(pipelineMembers)
      .where(
        and(
          whereFiles(pipelineId),
          isNotNull(pipelineMembers.dataSourceId),
          sql`not exists (select 1 from pipeline_data_sources held where held.pipeline_id = ${pipelineId}
            and held.data_source_id = ${pipelineMembers.dataSourceId})`,
        ),
      )
      .limit(MAX_REMOVED_AT_ONCE);
    const ids = left.map(({ fileId }) => fileId);
    await removeSourceFiles(ctx, pipelineId, ids);
    if (left.length < MAX_REMOVED_AT_ONCE) return;
  }
}

/** Removes files from the pipeline and its indexes. Files that no pipeline contains any more are deleted. */
export async function removeSourceFiles(ctx: Context, pipelineId: string, fileIds: string[]): Promise<void> {
  if (fileIds.length === 0) return;
  await ctx.db
    .delete(pipelineMembers)
    .where(and(whereFiles(pipelineId), isInList(pipelineMembers.documentId, fileIds)));
  await removeFromIndexes(ctx, pipelineId, fileIds);
  const unused = await ctx.db
    .delete(files)
    .where(
      and(
        isInList(files.id, fileIds),
        sql`not exists (select 1 from pipeline_members where file_id = ${files.id})`,
      ),
    )
    .returning();
  for (const file of unused) {
    await deleteBytes(ctx, file);
    await deletePrefix(ctx.bucket, keys.uploads(file.projectId, file.id));
  }
}

/** Downloads the current content of a file. Returns false if the data source no longer has the file. */
export async function fetchFile(
  ctx: Context,
  run: PipelineRun,
  file: FileRow,
  dataSource: DataSource,
): Promise<boolean> {
  const { source } = await getOpenSource(ctx, run, dataSource);
  const content = await source.read(file.externalFileId ?? '');
  if (!content) return false;
  const key = keys.upload(file.projectId, file.id, newId());
  const written = await writeStream(ctx.bucket, key, content.body, maxFileBytes(ctx));
  const { contentType } = content;
  const version = content.version ?? file.sourceVersion;
  // The downloaded version is also stored as the listed version, because the content may be newer than the
  // listing.
  await replaceContent(ctx, file, key, written, () => ({
    contentType,
    fetchedVersion: version,
    sourceVersion: version,
  }));
  return true;
}
