import { and, desc, eq, getTableColumns, inArray, isNull, type SQL, sql } from 'drizzle-orm';
import { alias } from 'drizzle-orm/sqlite-core';
import type { Context, TenantContext } from '#src/context/context.ts';
import { afterKey, buildPage, DEFAULT_PAGE_SIZE, type Page, parsePageToken } from '#src/db/paging.ts';
import { whereMembers } from '#src/db/pipeline-members.ts';
import {
  files,
  type IngestionError,
  type IngestionStatus,
  type Pipeline,
  pipelineMembers,
  pipelines,
  type SyncRun,
  syncRuns,
} from '#src/db/schema/index.ts';
import { NotFound } from '#src/lib/errors.ts';
import type { RunView } from '#src/work/sync-owner.ts';
import { getRunViews } from './overview.ts';
import { getPipeline } from './pipelines.ts';

export interface ProjectRun {
  run: SyncRun;
  pipelineName: string;
}

export async function getRunPage(
  ctx: TenantContext,
  query: {
    pipeline_id?: string | null | undefined;
    statuses?: IngestionStatus[] | null | undefined;
    page_size?: number | null | undefined;
    page_token?: string | null | undefined;
  },
): Promise<Page<ProjectRun> & { total_size: number }> {
  const key = parsePageToken(query.page_token, ['number', 'string']);
  const pageSize = query.page_size ?? DEFAULT_PAGE_SIZE;
  const inProject = and(
    eq(pipelines.projectId, ctx.projectId),
    isNull(pipelines.sweepId),
    query.pipeline_id ? eq(pipelines.id, query.pipeline_id) : undefined,
  );
  const statuses = [...new Set(query.statuses)];
  const hasStatus = statuses.length > 0 ? inArray(syncRuns.status, statuses) : undefined;
  const [rows, [total]] = await Promise.all([
    selectProjectRuns(ctx, inProject, { hasStatus, key, limit: pageSize + 1 }),
    ctx.db
      .select({ n: sql<number>`count(*)` })
      .from(pipelines)
      .crossJoin(syncRuns)
      .where(and(eq(syncRuns.pipelineId, pipelines.id), inProject, hasStatus)),
  ]);
  const page = buildPage(rows, pageSize, ({ run }) => [run.startedAt.getTime(), run.id]);
  return { ...page, total_size: total?.n ?? 0 };
}

/**
 * Selects the newest sync runs of all matching pipelines. An index supplies the runs of each pipeline,
 * limited to the number that the page may need.
 */
export function selectProjectRuns(
  ctx: Context,
  inProject: SQL | undefined,
  {
    hasStatus,
    key,
    limit,
  }: { hasStatus: SQL | undefined; key: readonly (string | number)[] | undefined; limit: number },
) {
  const newestOfPipeline = ctx.db
    .select({ id: syncRuns.id })
    .from(syncRuns)
    .where(
      and(
        eq(syncRuns.pipelineId, pipelines.id),
        hasStatus,
        afterKey([syncRuns.startedAt, syncRuns.id], key, 'desc'),
      ),
    )
    .orderBy(desc(syncRuns.startedAt), desc(syncRuns.id))
    .limit(limit);
  const run = alias(syncRuns, 'run');
  return ctx.db
    .select({ run: getTableColumns(run), pipelineName: pipelines.name })
    .from(pipelines)
    .crossJoin(run)
    .where(and(inProject, inArray(run.id, newestOfPipeline)))
    .orderBy(desc(run.startedAt), desc(run.id))
    .limit(limit);
}

export interface FailedItem {
  kind: 'file' | 'text';
  document_id: string;
  name: string | null;
  reason: string;
  step: IngestionError['step'];
  failed_at: string | null;
}

export interface RunDetails extends ProjectRun {
  /** Current progress of the sync run. Null if the run has ended. */
  view: RunView | null;
  failed: { items: FailedItem[]; limit: number; offset: number; total_count: number };
}

/** Returns a sync run with the files and texts that failed in it, unless a later run has processed them. */
export async function getRun(
  ctx: TenantContext,
  pipelineId: string,
  runId: string,
  page: { limit: number; offset: number },
): Promise<RunDetails> {
  const pipeline = await getPipeline(ctx, pipelineId);
  const run = await ctx.db.query.syncRuns.findFirst({
    where: and(eq(syncRuns.id, runId), eq(syncRuns.pipelineId, pipeline.id)),
  });
  if (!run) throw new NotFound('Pipeline job', runId);
  const where = whereFailedIn(pipeline, run);
  const [rows, total, views] = await Promise.all([
    selectFailedItems(ctx, where).limit(page.limit).offset(page.offset),
    ctx.db.$count(pipelineMembers, where),
    getRunViews(ctx, [run]),
  ]);
  const items = rows.map(({ failedAt, error, ...row }) => ({
    ...row,
    reason: error?.message ?? '',
    step: error?.step ?? ('INGESTION' as const),
    failed_at: failedAt?.toISOString() ?? null,
  }));
  return {
    run,
    pipelineName: pipeline.name,
    view: views.get(run.id) ?? null,
    failed: { items, ...page, total_count: total },
  };
}

export const whereFailedIn = (pipeline: Pick<Pipeline, 'id'>, run: Pick<SyncRun, 'id'>) =>
  and(
    whereMembers(pipeline.id),
    eq(pipelineMembers.status, 'ERROR'),
    sql`${pipelineMembers.error} ->> '$.job_id' = ${run.id}`,
  );

export const selectFailedItems = (ctx: Context, where: SQL | undefined) =>
  ctx.db
    .select({
      kind: pipelineMembers.kind,
      document_id: pipelineMembers.documentId,
      name: files.name,
      error: pipelineMembers.error,
      failedAt: pipelineMembers.statusUpdatedAt,
    })
    .from(pipelineMembers)
    .leftJoin(files, eq(files.id, pipelineMembers.fileId))
    .where(where)
    .orderBy(pipelineMembers.kind, pipelineMembers.createdAt, pipelineMembers.id)
    .$dynamic();
