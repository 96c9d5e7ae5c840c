import { sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { DAY_MS } from '#src/lib/day.ts';
import { count } from '#src/metrics/meter.ts';
import { DEFAULT_RETENTION_DAYS } from '#src/services/traces/settings.ts';

const ROWS_PER_STEP = 1_000;
/** Maximum number of traces that a project keeps. The oldest ones are deleted. */
const MAX_TRACES = 50_000;

/** Deletes expired and excess traces until the time `until`. Returns whether none are left. */
export async function removeExpiredTraces(ctx: Context, until: number): Promise<boolean> {
  const age = sql`coalesce(settings.retention_days, ${DEFAULT_RETENTION_DAYS}) * ${DAY_MS}`;
  const areExpiredGone = await deleteSelected(
    ctx,
    sql`select traces.rowid from projects left join trace_settings settings on settings.project_id = projects.id
      cross join traces on traces.project_id = projects.id and traces.created_at < ${Date.now()} - ${age}`,
    until,
  );
  const full = await ctx.db.all<{ id: string; excess: number }>(sql`
    select project_id as id, count(*) - ${MAX_TRACES} as excess from traces group by project_id having excess > 0`);
  for (const { id, excess } of full) {
    const oldest = sql`select rowid from (select rowid from traces where project_id = ${id}
      order by created_at limit ${excess})`;
    if (!(await deleteSelected(ctx, oldest, until, excess))) return false;
  }
  return areExpiredGone;
}

/** Deletes the traces with the selected row ids, at most `most` of them. Returns whether the work was finished. */
async function deleteSelected(
  ctx: Context,
  selected: ReturnType<typeof sql>,
  until: number,
  most = Number.POSITIVE_INFINITY,
): Promise<boolean> {
  for (let left = most; Date.now() < until; ) {
    const limit = Math.min(left, ROWS_PER_STEP);
    const { meta } = await ctx.db.run(
      sql`delete from traces where rowid in (select * from (${selected}) limit ${limit})`,
    );
    count('sluice_expired_total', { kind: 'traces' }, meta.changes);
    left -= meta.changes;
    if (meta.changes < limit || left <= 0) return true;
  }
  return false;
}
