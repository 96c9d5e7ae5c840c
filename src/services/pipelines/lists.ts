import { and, desc, eq, isNull, type SQL } from 'drizzle-orm';
import type { Context, TenantContext } from '#src/context/context.ts';
import { afterKey, buildPage, DEFAULT_PAGE_SIZE, type Page, parsePageToken } from '#src/db/paging.ts';
import { type Pipeline, pipelines, type SyncRun, syncRuns } from '#src/db/schema/index.ts';
import { getPipeline } from './pipelines.ts';

interface PageQuery {
  page_size?: number | null | undefined;
  page_token?: string | null | undefined;
}

export const selectPipelines = (ctx: Context, where: SQL | undefined) =>
  ctx.db
    .select()
    .from(pipelines)
    .where(where)
    .orderBy(desc(pipelines.createdAt), desc(pipelines.id))
    .$dynamic();

export async function getPipelinePage(
  ctx: TenantContext,
  query: PageQuery & {
    name?: string | null | undefined;
    pipeline_type?: 'MANAGED' | 'PLAYGROUND' | null | undefined;
  },
): Promise<Page<Pipeline> & { total_size: number }> {
  const key = parsePageToken(query.page_token, ['number', 'string']);
  const pageSize = query.page_size ?? DEFAULT_PAGE_SIZE;
  const where = and(
    eq(pipelines.projectId, ctx.projectId),
    isNull(pipelines.sweepId),
    query.name ? eq(pipelines.name, query.name) : undefined,
    query.pipeline_type ? eq(pipelines.pipelineType, query.pipeline_type) : undefined,
  );
  const after = afterKey([pipelines.createdAt, pipelines.id], key, 'desc');
  const [rows, total] = await Promise.all([
    selectPipelines(ctx, and(where, after)).limit(pageSize + 1),
    ctx.db.$count(pipelines, where),
  ]);
  return { ...buildPage(rows, pageSize, (row) => [row.createdAt.getTime(), row.id]), total_size: total };
}

export const selectSyncRuns = (ctx: Context, where: SQL | undefined) =>
  ctx.db.select().from(syncRuns).where(where).orderBy(desc(syncRuns.generation)).$dynamic();

export async function listSyncRuns(
  ctx: TenantContext,
  pipelineId: string,
  page: { limit: number; offset: number },
): Promise<SyncRun[]> {
  const pipeline = await getPipeline(ctx, pipelineId);
  return selectSyncRuns(ctx, eq(syncRuns.pipelineId, pipeline.id)).limit(page.limit).offset(page.offset);
}
