import { inArray, type SQL, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { isInList } from '#src/db/is-in-list.ts';
import {
  type IngestionStatus,
  MEMBER_KINDS,
  type MemberKind,
  pipelineMembers,
  type SyncRun,
  syncRuns,
} from '#src/db/schema/index.ts';
import { inParallel } from '#src/lib/async/in-parallel.ts';
import type { RunView } from '#src/work/sync-owner.ts';

export const OVERVIEWS = ['status', 'counts'] as const;
export type Overviews = readonly (typeof OVERVIEWS)[number][];

export interface PipelineOverview {
  /** Newest sync run of the pipeline with its progress. Set if `status` is requested. */
  newest?: { run: SyncRun | undefined; view: RunView | null };
  /** Number of files and texts of the pipeline by status. Set if `counts` is requested. */
  counts?: Record<MemberKind, Partial<Record<IngestionStatus, number>>>;
}

/**
 * Maximum number of Durable Objects that are queried for the progress of runs, because each query delays the
 * response.
 */
const MAX_QUERIED_OWNERS = 30;

/**
 * Returns the requested information for several pipelines with two statements. Durable Objects are queried
 * only for running syncs.
 */
export async function getOverviews(
  ctx: Context,
  pipelineIds: string[],
  expand: Overviews,
): Promise<Map<string, PipelineOverview>> {
  const overviews = new Map<string, PipelineOverview>(pipelineIds.map((id) => [id, {}]));
  const [runs, counts] = await Promise.all([
    expand.includes('status') ? selectNewestRuns(ctx, pipelineIds) : [],
    expand.includes('counts') ? selectMemberCounts(ctx, pipelineIds) : [],
  ]);
  if (expand.includes('status')) {
    const views = await getRunViews(ctx, runs);
    const byPipeline = new Map(runs.map((run) => [run.pipelineId, run]));
    for (const [id, overview] of overviews) {
      const run = byPipeline.get(id);
      overview.newest = { run, view: (run && views.get(run.id)) ?? null };
    }
  }
  if (expand.includes('counts')) {
    for (const overview of overviews.values()) overview.counts = { file: {}, text: {} };
    for (const { pipelineId, kind, status, n } of counts) {
      overviews.get(pipelineId)!.counts![kind][status] = n;
    }
  }
  return overviews;
}

/**
 * Returns the progress of each running sync by run id. A run is omitted if its pipeline has already started
 * another one.
 */
export async function getRunViews(ctx: Context, runs: readonly SyncRun[]): Promise<Map<string, RunView>> {
  const open = runs.filter(({ finishedAt }) => finishedAt === null).slice(0, MAX_QUERIED_OWNERS);
  const views = await inParallel(open, ({ pipelineId }) => ctx.objects.pipelineSync(pipelineId).view());
  return new Map(
    open.flatMap(({ id }, position) => {
      const view = views[position];
      return view?.jobId === id ? [[id, view] as const] : [];
    }),
  );
}

export function selectNewestRuns(ctx: Context, pipelineIds: string[]) {
  const newest = sql`${syncRuns.id} in (select (select run.id from sync_runs run where run.pipeline_id = each.value
    order by run.generation desc limit 1) from json_each(${JSON.stringify(pipelineIds)}) each)`;
  return ctx.db.select().from(syncRuns).where(newest);
}

export function selectMemberCounts(ctx: Context, pipelineIds: string[]) {
  const { pipelineId, kind, status } = pipelineMembers;
  const n: SQL<number> = sql<number>`count(*)`;
  return ctx.db
    .select({ pipelineId, kind, status, n })
    .from(pipelineMembers)
    .where(sql`${isInList(pipelineId, pipelineIds)} and ${inArray(kind, MEMBER_KINDS)}`)
    .groupBy(pipelineId, kind, status);
}
