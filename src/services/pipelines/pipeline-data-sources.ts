import { and, asc, eq, getTableColumns } from 'drizzle-orm';
import { z } from 'zod';
import type { Context, TenantContext } from '#src/context/context.ts';
import { isInList } from '#src/db/is-in-list.ts';
import { fileMemberColumns, whereFiles } from '#src/db/pipeline-members.ts';
import {
  type DataSource,
  dataSources,
  type Pipeline,
  pipelineDataSources,
  pipelineMembers,
} from '#src/db/schema/index.ts';
import { Invalid, NotFound } from '#src/lib/errors.ts';
import { newId } from '#src/lib/ids.ts';
import { uuid } from '#src/lib/secrets/uuid.ts';
import { withinScope } from '#src/services/tenancy/scope.ts';
import { removeMembers } from './documents/remove-members.ts';
import { getPipeline, getPipelineForInserts, getWritablePipeline } from './pipelines.ts';
import { startSync } from './sync.ts';

const syncInterval = z
  .number()
  .int()
  .min(60)
  .max(366 * 86_400)
  .nullish()
  .describe('Seconds between automatic syncs. Null means that syncs run only on request.');

export const newPipelineDataSource = z.object({ data_source_id: uuid(), sync_interval: syncInterval });
export type NewPipelineDataSource = z.infer<typeof newPipelineDataSource>;

export const pipelineDataSourceChanges = z.object({ sync_interval: syncInterval });

export const dataSourceSyncRequest = z.object({ pipeline_file_ids: z.array(uuid()).max(10_000).nullish() });

export interface PipelineDataSource {
  membership: typeof pipelineDataSources.$inferSelect;
  source: DataSource;
}

const FILES_PER_REMOVAL = 500;

export const selectPipelineDataSources = (ctx: Context, pipelineId: string) =>
  ctx.db
    .select({ membership: getTableColumns(pipelineDataSources), source: getTableColumns(dataSources) })
    .from(pipelineDataSources)
    .innerJoin(dataSources, eq(dataSources.id, pipelineDataSources.dataSourceId))
    .where(eq(pipelineDataSources.pipelineId, pipelineId))
    .orderBy(asc(pipelineDataSources.createdAt), asc(pipelineDataSources.id));

export async function listPipelineDataSources(
  ctx: TenantContext,
  pipelineId: string,
): Promise<PipelineDataSource[]> {
  return selectPipelineDataSources(ctx, (await getPipeline(ctx, pipelineId)).id);
}

/**
 * Adds data sources to a pipeline and syncs them. Either all or none are added. For data sources that the
 * pipeline already contains, updates the schedule.
 */
export async function addPipelineDataSources(
  ctx: TenantContext,
  pipelineId: string,
  input: NewPipelineDataSource[],
): Promise<PipelineDataSource[]> {
  const pipeline = await getPipelineForInserts(ctx, pipelineId);
  const ids = input.map((each) => each.data_source_id);
  await requireSources(ctx, pipeline, ids);
  const held = new Set((await selectPipelineDataSources(ctx, pipeline.id)).map(({ source }) => source.id));
  const sources = [...new Set(ids)].filter((id) => !held.has(id));
  for (const { data_source_id: dataSourceId, sync_interval: interval } of input) {
    const insert = ctx.db.insert(pipelineDataSources).values({
      id: newId(),
      pipelineId: pipeline.id,
      dataSourceId,
      ...buildScheduleColumns(ctx, interval ?? null),
    });
    const target = [pipelineDataSources.pipelineId, pipelineDataSources.dataSourceId];
    if (interval === undefined) await insert.onConflictDoNothing({ target });
    else await insert.onConflictDoUpdate({ target, set: buildScheduleColumns(ctx, interval) });
  }
  const owner = ctx.objects.pipelineSync(pipeline.id);
  await owner.schedule(pipeline.id);
  if (sources.length > 0) await owner.start(pipeline.id, { reason: 'change', sources, patient: true });
  const rows = await selectPipelineDataSources(ctx, pipeline.id);
  return rows.filter(({ source }) => ids.includes(source.id));
}

/**
 * Returns the database columns for a sync schedule. Without an interval there is no schedule, so no user is
 * stored as its author.
 */
function buildScheduleColumns(ctx: TenantContext, interval: number | null) {
  return { syncInterval: interval, syncScheduleSetBy: interval === null ? null : ctx.actor.userId };
}

async function requireSources(ctx: TenantContext, pipeline: Pipeline, ids: string[]): Promise<void> {
  const rows = await ctx.db
    .select({ id: dataSources.id })
    .from(dataSources)
    .where(
      and(
        isInList(dataSources.id, ids),
        eq(dataSources.projectId, pipeline.projectId),
        withinScope(ctx, dataSources.projectId),
      ),
    );
  const known = new Set(rows.map(({ id }) => id));
  const issues = ids.flatMap((id, position) => {
    const msg = `Value error, no data source ${id} in the pipeline's project`;
    return known.has(id) ? [] : [{ loc: ['body', position, 'data_source_id'], msg, type: 'value_error' }];
  });
  if (issues.length > 0) throw new Invalid(issues);
}

export async function getPipelineDataSource(
  ctx: TenantContext,
  pipeline: Pipeline,
  dataSourceId: string,
): Promise<PipelineDataSource> {
  const [row] = await ctx.db
    .select({ membership: getTableColumns(pipelineDataSources), source: getTableColumns(dataSources) })
    .from(pipelineDataSources)
    .innerJoin(dataSources, eq(dataSources.id, pipelineDataSources.dataSourceId))
    .where(
      and(
        eq(pipelineDataSources.pipelineId, pipeline.id),
        eq(pipelineDataSources.dataSourceId, dataSourceId),
      ),
    );
  if (!row) throw new NotFound('Pipeline data source', dataSourceId);
  return row;
}

/** Changes the schedule of a data source. Null removes the schedule, and undefined keeps it. */
export async function updatePipelineDataSource(
  ctx: TenantContext,
  pipelineId: string,
  dataSourceId: string,
  interval: number | null | undefined,
): Promise<PipelineDataSource> {
  const pipeline = await getWritablePipeline(ctx, pipelineId);
  const found = await getPipelineDataSource(ctx, pipeline, dataSourceId);
  if (interval === undefined) return found;
  const [membership] = await ctx.db
    .update(pipelineDataSources)
    .set(buildScheduleColumns(ctx, interval))
    .where(eq(pipelineDataSources.id, found.membership.id))
    .returning();
  await ctx.objects.pipelineSync(pipeline.id).schedule(pipeline.id);
  return membership ? { ...found, membership } : found;
}

/** Syncs a data source of a pipeline. With `pipelineFileIds`, indexes only the files with these ids. */
export async function syncPipelineDataSource(
  ctx: TenantContext,
  pipelineId: string,
  dataSourceId: string,
  pipelineFileIds: string[] | null,
): Promise<Pipeline> {
  const pipeline = await getWritablePipeline(ctx, pipelineId);
  await getPipelineDataSource(ctx, pipeline, dataSourceId);
  if (!pipelineFileIds) return startSync(ctx, pipeline.id, { reason: 'request', sources: [dataSourceId] });
  const named = await ctx.db
    .update(pipelineMembers)
    .set({ failedFingerprint: null })
    .where(
      and(
        whereFiles(pipeline.id),
        eq(pipelineMembers.dataSourceId, dataSourceId),
        isInList(pipelineMembers.id, pipelineFileIds),
      ),
    )
    .returning({ id: fileMemberColumns.id, fileId: fileMemberColumns.fileId });
  const known = new Set(named.map(({ id }) => id));
  const issues = pipelineFileIds.flatMap((id, position) => {
    const msg = `Value error, no file ${id} of this data source in the pipeline`;
    return known.has(id) ? [] : [{ loc: ['body', 'pipeline_file_ids', position], msg, type: 'value_error' }];
  });
  if (issues.length > 0) throw new Invalid(issues);
  const fileIds = named.map(({ fileId }) => fileId);
  return startSync(ctx, pipeline.id, { reason: 'request', sources: [dataSourceId], fileIds });
}

/** Removes a data source and its files from a pipeline, so that queries no longer find the files. */
export async function removePipelineDataSource(
  ctx: TenantContext,
  pipelineId: string,
  dataSourceId: string,
): Promise<void> {
  const pipeline = await getWritablePipeline(ctx, pipelineId);
  const { membership } = await getPipelineDataSource(ctx, pipeline, dataSourceId);
  // The files are removed before the data source, so that a failed call can be repeated. They are removed
  // again afterwards, because a running sync may have added more.
  await removeFilesOfSource(ctx, pipeline, dataSourceId);
  await ctx.db.delete(pipelineDataSources).where(eq(pipelineDataSources.id, membership.id));
  const owner = ctx.objects.pipelineSync(pipeline.id);
  await owner.schedule(pipeline.id);
  await removeFilesOfSource(ctx, pipeline, dataSourceId).catch(async (error: unknown) => {
    await owner.start(pipeline.id, { reason: 'change' });
    throw error;
  });
}

async function removeFilesOfSource(
  ctx: TenantContext,
  pipeline: Pipeline,
  dataSourceId: string,
): Promise<void> {
  const ofSource = and(whereFiles(pipeline.id), eq(pipelineMembers.dataSourceId, dataSourceId));
  for (;;) {
    const some = await ctx.db
      .select({ fileId: fileMemberColumns.fileId })
      .from(pipelineMembers)
      .where(ofSource)
      .limit(FILES_PER_REMOVAL);
    if (some.length === 0) return;
    const fileIds = some.map(({ fileId }) => fileId);
    const areThese = isInList(pipelineMembers.documentId, fileIds);
    await removeMembers(ctx, pipeline.id, fileIds, and(ofSource, areThese));
  }
}
