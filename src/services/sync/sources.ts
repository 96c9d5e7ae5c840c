import { and, eq, isNotNull, sql } from 'drizzle-orm';
import type { Context } from '#src/context.ts';
import { isOneOf } from '#src/db/is-one-of.ts';
import { fileMember, filesOf, isFileOf } from '#src/db/pipeline-members.ts';
import { dataSources, files, pipelineDataSources, pipelineMembers } from '#src/db/schema/index.ts';
import { DomainError, messageOf } from '#src/errors.ts';
import { keys } from '#src/files/keys.ts';
import { writeStream } from '#src/files/object-writer.ts';
import { newId } from '#src/ids.ts';
import { type DataSource, openSource } from '#src/services/connections/data-sources.ts';
import {
  deletePrefix,
  extensionOf,
  forgetBytes,
  maxFileBytes,
  replaceContent,
} from '#src/services/files/content.ts';
import type { Pipeline } from '#src/services/indexes/indexes.ts';
import { removeFromIndexes } from '#src/services/indexes/removal.ts';
import { openSourceDriver } from '#src/sources/registry.ts';
import type { Source, SourceEntry } from '#src/sources/source.ts';
import type { Assignment, Claim, Outcome, WorkItem } from '#src/work/sync-owner.ts';

type SourceItem = Extract<WorkItem, { kind: 'source' }>;

/** Memberships that one step of the sweep ends. */
const REMOVED_AT_ONCE = 200;

/** Opens a data source for reading; rejects with SourceError when there is no reader for its kind. */
export async function openReader(ctx: Context, source: DataSource): Promise<Source> {
  return openSourceDriver(source.sourceType, await openSource(ctx, source), ctx.settings);
}

/** The first page of each source that the run is to read. From now on they are in progress. */
export async function sourceItems(
  ctx: Context,
  pipelineId: string,
  { sources }: Assignment,
): Promise<WorkItem[]> {
  const wanted = and(
    eq(pipelineDataSources.pipelineId, pipelineId),
    sources === 'all' ? undefined : isOneOf(pipelineDataSources.dataSourceId, sources),
  );
  const rows = await ctx.db
    .update(pipelineDataSources)
    .set({ status: 'IN_PROGRESS', statusUpdatedAt: new Date(), error: null })
    .where(wanted)
    .returning({ dataSourceId: pipelineDataSources.dataSourceId });
  return rows.map(({ dataSourceId }) => pageItem(dataSourceId, 0, null));
}

function pageItem(dataSourceId: string, page: number, cursor: string | null): SourceItem {
  return { id: `source:${dataSourceId}:${page}`, kind: 'source', dataSourceId, page, cursor };
}

/**
 * Reads one page of a source's listing: new entries become files of the pipeline, changed ones are marked for
 * fetching. The last page ends with the sweep: what the source no longer lists leaves the pipeline.
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
  const target: Target = { ctx, pipeline, source: row.source, generation };
  try {
    const reader = await openReader(ctx, row.source);
    const listed = await reader.list(cursor);
    const changed = await recordListed(target, listed.entries);
    const counters = { listed: listed.entries.length, changed };
    if (listed.cursor !== null) return { counters, next: [pageItem(dataSourceId, page + 1, listed.cursor)] };
    return { counters: { ...counters, ...(await sweep(target, reader)) } };
  } catch (error) {
    if (!(error instanceof DomainError) || error.retryable) throw error;
    const failure = { message: messageOf(error), step: 'DATA_SOURCE' as const };
    await ctx.db
      .update(pipelineDataSources)
      .set({ status: 'ERROR', statusUpdatedAt: new Date(), error: { job_id: jobId, ...failure } })
      .where(
        and(
          eq(pipelineDataSources.pipelineId, pipeline.id),
          eq(pipelineDataSources.dataSourceId, dataSourceId),
        ),
      );
    return { counters: { failed: 1 }, error: failure };
  }
}

interface Target {
  ctx: Context;
  pipeline: Pipeline;
  source: DataSource;
  generation: number;
}

/**
 * Makes listed entries files of the pipeline and gives how many are new or have changed. Of what has not changed
 * only the run that listed it is written.
 */
async function recordListed(target: Target, entries: SourceEntry[]): Promise<number> {
  if (entries.length === 0) return 0;
  const { ctx, pipeline, source, generation } = target;
  const now = Date.now();
  const listed = JSON.stringify(
    entries.map((entry) => ({
      fileId: newId(),
      membershipId: newId(),
      key: entry.id,
      name: entry.name.slice(0, 3000),
      type: extensionOf(entry.name),
      size: entry.size,
      version: entry.version,
      modified: entry.modifiedAt?.getTime() ?? null,
      info: JSON.stringify(entry.metadata),
    })),
  );
  // The source may have left the pipeline while it was being asked.
  const isMember = sql`exists (select 1 from pipeline_data_sources
    where pipeline_id = ${pipeline.id} and data_source_id = ${source.id})`;
  const { meta } = await ctx.db.run(sql`
    insert into files (id, project_id, name, external_file_id, file_size, file_type, last_modified_at,
      resource_info, data_source_id, origin, source_version, created_at, updated_at)
    select value ->> 'fileId', ${pipeline.projectId}, value ->> 'name', value ->> 'key', value ->> 'size',
      value ->> 'type', value ->> 'modified', value ->> 'info', ${source.id}, ${source.id},
      value ->> 'version', ${now}, ${now}
    from json_each(${listed}) where ${isMember}
    on conflict (project_id, origin, external_file_id) where external_file_id is not null do update set
      name = excluded.name, file_size = excluded.file_size, file_type = excluded.file_type,
      last_modified_at = excluded.last_modified_at, resource_info = excluded.resource_info,
      source_version = excluded.source_version, updated_at = excluded.updated_at
    where files.source_version is not excluded.source_version`);
  await ctx.db.run(sql`
    insert into pipeline_members (id, pipeline_id, kind, document_id, file_id, data_source_id, source_generation,
      described_at, created_at, updated_at)
    select listed.value ->> 'membershipId', ${pipeline.id}, 'file', files.id, files.id, ${source.id},
      ${generation}, ${now}, ${now}, ${now}
    from json_each(${listed}) listed join files on files.project_id = ${pipeline.projectId}
      and files.origin = ${source.id} and files.external_file_id = listed.value ->> 'key'
    where ${isMember}
    on conflict (pipeline_id, document_id, kind) do update set
      source_generation = max(coalesce(source_generation, 0), excluded.source_generation)`);
  return meta.changes;
}

/** Ends the memberships of what the source no longer lists, or follows it to its new name. */
async function sweep(target: Target, reader: Source): Promise<{ renamed?: number; removed?: number }> {
  const { ctx, pipeline, source, generation } = target;
  const counters: { renamed?: number; removed?: number } = {};
  for (;;) {
    const vanished = await ctx.db
      .select({ file: files })
      .from(pipelineMembers)
      .innerJoin(files, eq(files.id, pipelineMembers.fileId))
      .where(
        and(
          filesOf(pipeline.id),
          eq(pipelineMembers.dataSourceId, source.id),
          eq(files.origin, source.id),
          sql`coalesce(${pipelineMembers.sourceGeneration}, 0) < ${generation}`,
        ),
      )
      .limit(REMOVED_AT_ONCE);
    const gone: string[] = [];
    for (const { file } of vanished) {
      if (reader.versionNamesContent && (await followRename(target, file))) {
        counters.renamed = (counters.renamed ?? 0) + 1;
      } else gone.push(file.id);
    }
    await removeSourceFiles(ctx, pipeline.id, gone);
    if (gone.length > 0) counters.removed = (counters.removed ?? 0) + gone.length;
    if (vanished.length < REMOVED_AT_ONCE) return counters;
  }
}

type FileRow = typeof files.$inferSelect;

/** A new entry with the bytes of a vanished one is the same file: it keeps its id, its bytes and its index entry. */
async function followRename({ ctx, pipeline, source, generation }: Target, old: FileRow): Promise<boolean> {
  if (!old.fetchedVersion || old.fetchedVersion !== old.sourceVersion) return false;
  const [found] = await ctx.db
    .select({ file: files })
    .from(files)
    .innerJoin(pipelineMembers, and(filesOf(pipeline.id), eq(pipelineMembers.documentId, files.id)))
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
  const { id, name, externalFileId, fileType, lastModifiedAt, resourceInfo } = found.file;
  // Other pipelines of the source may have taken the new entry in already: for them it is the old file as well.
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
      .set({ name, externalFileId, fileType, lastModifiedAt, resourceInfo })
      .where(eq(files.id, old.id)),
    ctx.db.update(pipelineMembers).set({ sourceGeneration: generation }).where(isFileOf(pipeline.id, old.id)),
  ]);
  return true;
}

/**
 * Removes files from the pipeline whose data source is no longer part of it: the removal of a source may have been
 * interrupted.
 */
export async function removeFilesOfFormerSources(ctx: Context, pipelineId: string): Promise<void> {
  for (;;) {
    const left = await ctx.db
      .select({ fileId: fileMember.fileId })
      .from(pipelineMembers)
      .where(
        and(
          filesOf(pipelineId),
          isNotNull(pipelineMembers.dataSourceId),
          sql`not exists (select 1 from pipeline_data_sources held where held.pipeline_id = ${pipelineId}
            and held.data_source_id = ${pipelineMembers.dataSourceId})`,
        ),
      )
      .limit(REMOVED_AT_ONCE);
    const ids = left.map(({ fileId }) => fileId);
    await removeSourceFiles(ctx, pipelineId, ids);
    if (left.length < REMOVED_AT_ONCE) return;
  }
}

/** Removes files from the pipeline and its indexes, and deletes those that no pipeline holds any more. */
export async function removeSourceFiles(ctx: Context, pipelineId: string, fileIds: string[]): Promise<void> {
  if (fileIds.length === 0) return;
  await ctx.db
    .delete(pipelineMembers)
    .where(and(filesOf(pipelineId), isOneOf(pipelineMembers.documentId, fileIds)));
  await removeFromIndexes(ctx, pipelineId, fileIds);
  const unused = await ctx.db
    .delete(files)
    .where(
      and(
        isOneOf(files.id, fileIds),
        sql`not exists (select 1 from pipeline_members where file_id = ${files.id})`,
      ),
    )
    .returning();
  for (const file of unused) {
    await forgetBytes(ctx, file);
    await deletePrefix(ctx.bucket, keys.uploads(file.projectId, file.id));
  }
}

/** Brings the source's present bytes of a file in. False: the source does not have it any more. */
export async function fetchFile(ctx: Context, file: FileRow, source: DataSource): Promise<boolean> {
  const reader = await openReader(ctx, source);
  const content = await reader.fetch(file.externalFileId ?? '');
  if (!content) return false;
  const key = keys.upload(file.projectId, file.id, newId());
  const written = await writeStream(ctx.bucket, key, content.body, maxFileBytes(ctx));
  const { contentType } = content;
  const version = content.version ?? file.sourceVersion;
  // Also as the listed version: what was listed before may be older than these bytes.
  await replaceContent(ctx, file, key, written, () => ({
    contentType,
    fetchedVersion: version,
    sourceVersion: version,
  }));
  return true;
}
