import { getTableColumns, type SQL, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { type DailyActivity, dailyActivity } from '#src/db/schema/index.ts';
import { dayOf } from '#src/lib/day.ts';
import { messageOf } from '#src/lib/errors.ts';
import type { Run } from '#src/work/sync-owner.ts';

export type Activity = 'retrievals' | 'chats';
type Counts = Partial<Omit<DailyActivity, 'projectId' | 'day'>>;

interface Pending {
  projectId: string;
  day: string;
  counts: Record<Activity, number>;
}

/** Maximum rows per write. */
const MOST_ROWS = 50;
/**
 * Milliseconds for which counts are collected before they are written, so that many requests cause one write.
 */
const GATHER_MS = 500;
/**
 * A request may work for 30 s after its response. A writer leaves the rest to the next request before that
 * limit.
 */
const LONGEST_TURN_MS = 10_000;

const pending = new Map<string, Pending>();
/**
 * Start of the request that is writing, in milliseconds since 1970. That request may end before it has
 * written.
 */
let writingSince: number | undefined;

/**
 * Counts the activity of a project after the response, whatever its result. One request of the isolate waits
 * briefly and writes the counts of all, so that many counts are one statement and no response waits.
 */
export function countActivity(ctx: Context, projectId: string, what: Activity): void {
  const now = Date.now();
  const day = dayOf(now);
  const key = `${projectId} ${day}`;
  const row = pending.get(key) ?? { projectId, day, counts: { retrievals: 0, chats: 0 } };
  row.counts[what] += 1;
  pending.set(key, row);
  if (writingSince !== undefined && now - writingSince < 2 * LONGEST_TURN_MS) return;
  writingSince = now;
  ctx.defer(writePending(ctx, now));
}

async function writePending(ctx: Context, since: number): Promise<void> {
  try {
    while (pending.size > 0 && Date.now() - since < LONGEST_TURN_MS) {
      await scheduler.wait(GATHER_MS);
      const rows = [...pending].slice(0, MOST_ROWS);
      for (const [key] of rows) pending.delete(key);
      const [first, ...others] = rows.map(([, { projectId, day, counts }]) =>
        add(ctx, { day, counts, projectId: sql`select id from projects where id = ${projectId}` }),
      );
      await ctx.db.batch([first!, ...others]);
    }
  } catch (error) {
    ctx.log.warn('activity_not_counted', { error: messageOf(error) });
  } finally {
    if (writingSince === since) writingSince = undefined;
  }
}

/** Statement that counts a run once. It must precede the statement that ends the run, in the same batch. */
export function countRun(ctx: Context, { jobId, pipelineId, counters }: Run) {
  return add(ctx, {
    day: dayOf(Date.now()),
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

/** `projectId` selects the project's id, or nothing if nothing is to be counted. */
function add(ctx: Context, { projectId, day, counts }: { projectId: SQL; day: string; counts: Counts }) {
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
