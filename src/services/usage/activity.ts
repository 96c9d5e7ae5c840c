import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { type DailyActivity, dailyActivity } from '#src/db/schema/index.ts';
import { toUtcDay } from '#src/lib/day.ts';
import { getErrorMessage } from '#src/lib/errors.ts';
import type { Run } from '#src/work/sync-owner.ts';

export type Activity = 'retrievals' | 'chats';
type Counts = Partial<Omit<DailyActivity, 'projectId' | 'day'>>;

interface Pending {
  projectId: string;
  day: string;
  counts: Record<Activity, number>;
}

const MAX_ROWS = 50;
/** Time in milliseconds during which activity counts are collected, so that many requests cause one write. */
const GATHER_MS = 500;
/**
 * Maximum time in milliseconds that a request spends writing activity counts. Cloudflare ends a request 30 s
 * after its response, so the next request writes the rest.
 */
const MAX_WRITING_MS = 10_000;

const pending = new Map<string, Pending>();
/**
 * Time at which the request that is now writing counts started, in milliseconds since 1970. Undefined if no
 * request is writing.
 */
let writingSince: number | undefined;

/**
 * Counts an activity of a project. The counts of many requests are written together after a response, so that
 * no response waits for them.
 */
export function countActivity(ctx: Context, projectId: string, what: Activity): void {
  const now = Date.now();
  const day = toUtcDay(now);
  const key = `${projectId} ${day}`;
  const row = pending.get(key) ?? { projectId, day, counts: { retrievals: 0, chats: 0 } };
  row.counts[what] += 1;
  pending.set(key, row);
  if (writingSince !== undefined && now - writingSince < 2 * MAX_WRITING_MS) return;
  writingSince = now;
  ctx.defer(writePending(ctx, now));
}

async function writePending(ctx: Context, since: number): Promise<void> {
  try {
    while (pending.size > 0 && Date.now() - since < MAX_WRITING_MS) {
      await scheduler.wait(GATHER_MS);
      const rows = [...pending].slice(0, MAX_ROWS);
      for (const [key] of rows) pending.delete(key);
      const [first, ...others] = rows.map(([, { projectId, day, counts }]) =>
        buildActivityCount(ctx, {
          day,
          counts,
          projectId: sql`select id from projects where id = ${projectId}`,
        }),
      );
      await ctx.db.batch([first!, ...others]);
    }
  } catch (error) {
    ctx.log.warn('activity_not_counted', { error: getErrorMessage(error) });
  } finally {
    if (writingSince === since) writingSince = undefined;
  }
}

/**
 * Returns the SQL statement that counts a sync run. In a batch, it must precede the statement that ends the
 * run, so that the run is counted once.
 */
export function buildRunCount(ctx: Context, { jobId, pipelineId, counters }: Run) {
  return buildActivityCount(ctx, {
    day: toUtcDay(Date.now()),
    counts: {
      syncs: 1,
      documentsIndexed: counters.indexed ?? 0,
      documentsFailed: counters.failed ?? 0,
      pagesIndexed: counters.pages ?? 0,
    },
    projectId: sql`select project_id as id from pipelines where id = ${pipelineId} and exists
      (select 1 from sync_runs where sync_runs.id = ${jobId} and finished_at is null)`,
  });
}

/**
 * Returns the SQL statement that adds counts to a day. `projectId` is a subquery. If it returns no row,
 * nothing is counted.
 */
function buildActivityCount(
  ctx: Context,
  { projectId, day, counts }: { projectId: SQL; day: string; counts: Counts },
) {
  const values: Record<string, unknown> = { day, ...counts };
  const selected = Object.keys(getTableColumns(dailyActivity)).map((name) =>
    name === 'projectId' ? sql`owner.id` : sql`${values[name] ?? 0}`,
  );
  const added = Object.entries(counts).map(([name, count]) => [
    name,
    sql`${dailyActivity[name as keyof Counts]} + ${count}`,
  ]);
  return ctx.db
    .insert(dailyActivity)
    .select(sql`select ${sql.join(selected, sql`, `)} from (${projectId}) as owner where true`)
    .onConflictDoUpdate({
      target: [dailyActivity.projectId, dailyActivity.day],
      set: Object.fromEntries(added),
    });
}
