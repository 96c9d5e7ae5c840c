import { and, eq, inArray, lt, sql } from 'drizzle-orm';
import { dailyActivity, modelUsage, pipelines, syncRuns, usageRecords } from '#src/db/schema/index.ts';
import { dayOf } from '#src/lib/day.ts';
import type { Expiry } from './expiry.ts';

const ROWS_PER_STEP = 1_000;

/**
 * What was counted day by day, what jobs and models took, and the runs of syncs. Of each pipeline the newest run stays:
 * it is what its status tells.
 */
export const expireUsage: Expiry = async (ctx, { projectId, before }) => {
  const day = dayOf(before.getTime());
  const records = ctx.db
    .select({ id: usageRecords.id })
    .from(usageRecords)
    .where(and(eq(usageRecords.projectId, projectId), lt(usageRecords.createdAt, before)))
    .limit(ROWS_PER_STEP);
  const own = ctx.db.select({ id: pipelines.id }).from(pipelines).where(eq(pipelines.projectId, projectId));
  const runs = ctx.db
    .select({ id: syncRuns.id })
    .from(syncRuns)
    .where(
      and(
        inArray(syncRuns.pipelineId, own),
        lt(syncRuns.startedAt, before),
        sql`finished_at < ${before.getTime()}`,
        sql`exists (select 1 from sync_runs later where later.pipeline_id = sync_runs.pipeline_id
          and later.generation > sync_runs.generation)`,
      ),
    )
    .limit(ROWS_PER_STEP);
  const results = await ctx.db.batch([
    ctx.db.delete(usageRecords).where(inArray(usageRecords.id, records)),
    ctx.db.delete(syncRuns).where(inArray(syncRuns.id, runs)),
    // A row a day: never many.
    ctx.db
      .delete(dailyActivity)
      .where(and(eq(dailyActivity.projectId, projectId), lt(dailyActivity.day, day))),
    ctx.db.delete(modelUsage).where(and(eq(modelUsage.projectId, projectId), lt(modelUsage.day, day))),
  ]);
  const changes = results.map(({ meta }) => meta.changes);
  const isFull = changes.some((number) => number >= ROWS_PER_STEP);
  return { removed: changes.reduce((sum, number) => sum + number, 0), next: isFull ? 'again' : undefined };
};
