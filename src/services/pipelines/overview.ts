import { inArray, type SQL, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { isOneOf } from '#src/db/is-one-of.ts';
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

/** Optional information about a pipeline in lists. */
export const OVERVIEWS = ['status', 'counts'] as const;
export type Overviews = readonly (typeof OVERVIEWS)[number][];

export interface PipelineOverview {
  /** Newest run with its progress; set if `status` is requested. */
  newest?: { run: SyncRun | undefined; view: RunView | null };
  /** Number of members by kind and status; set if `counts` is requested. */
  counts?: Record<MemberKind, Partial<Record<IngestionStatus, number>>>;
}

/** Maximum number of owners queried for progress, because each one delays the list. */
const MOST_ASKED = 30;

/**
 * Returns the overviews of these pipelines with two statements. Owners are queried for running syncs only.
 */
export async function overviewsOf(
  ctx: Context,
  pipelineIds: string[],
  expand: Overviews,
): Promise<Map<string, PipelineOverview>> {
  const overviews = new Map<string, PipelineOverview>(pipelineIds.map((id) => [id, {}]));
  const [runs, counts] = await Promise.all([
    expand.includes('status') ? newestRunRows(ctx, pipelineIds) : [],
    expand.includes('counts') ? memberCountRows(ctx, pipelineIds) : [],
  ]);
  if (expand.includes('status')) {
    const views = await viewsOf(ctx, runs);
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
 * Returns the view of each active run by its id. A run whose owner has already started another run is left
 * out.
 */
export async function viewsOf(ctx: Context, runs: readonly SyncRun[]): Promise<Map<string, RunView>> {
  const open = runs.filter(({ finishedAt }) => finishedAt === null).slice(0, MOST_ASKED);
  const views = await inParallel(open, ({ pipelineId }) => ctx.objects.pipelineSync(pipelineId).view());
  return new Map(
    open.flatMap(({ id }, position) => {
      const view = views[position];
      return view?.jobId === id ? [[id, view] as const] : [];
    }),
  );
}

export function newestRunRows(ctx: Context, pipelineIds: string[]) {
  const newest = sql`${syncRuns.id} in (select (select run.id from sync_runs run where run.pipeline_id = each.value
    order by run.generation desc limit 1) from json_each(${JSON.stringify(pipelineIds)}) each)`;
  return ctx.db.select().from(syncRuns).where(newest);
}

export function memberCountRows(ctx: Context, pipelineIds: string[]) {
  const { pipelineId, kind, status } = pipelineMembers;
  const n: SQL<number> = sql<number>`count(*)`;
  return ctx.db
    .select({ pipelineId, kind, status, n })
    .from(pipelineMembers)
    .where(sql`${isOneOf(pipelineId, pipelineIds)} and ${inArray(kind, MEMBER_KINDS)}`)
    .groupBy(pipelineId, kind, status);
}
