import { type SQL, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import type { PageQuota } from '#src/ingest/quota.ts';
import { toUtcDay } from '#src/lib/day.ts';
import { createLimitError, selectJoinedLimit } from './limits.ts';

/**
 * Returns SQL for the number of pages that finished work has recorded for the day. The counter starts with
 * this number at the first reservation. `owner` is the project's id.
 */
const countRecordedPages = (owner: SQL, day: string) => sql`(
  (select coalesce(sum(done.pages_indexed), 0) from daily_activity done
    where done.project_id = ${owner} and done.day = ${day})
  + (select coalesce(sum(record.pages), 0) from usage_records record
    where record.project_id = ${owner} and record.created_at >= ${Date.parse(day)}))`;

const countUsedPages = (owner: SQL, day: string) => sql`coalesce(
  (select taken.pages from project_pages taken where taken.project_id = ${owner} and taken.day = ${day}),
  ${countRecordedPages(owner, day)})`;

/** Returns SQL for the project's daily page limit, which is null if there is no limit. */
export const selectPageLimit = (ctx: Pick<Context, 'settings'>, projectId: SQL): SQL<number | null> =>
  sql`(select ${selectJoinedLimit(ctx, 'pages_per_day')} from projects where projects.id = ${projectId})`;

/**
 * Returns SQL for the number of pages that a project may still process today. The value is null without a
 * limit, because pages are not counted then.
 */
export const selectPagesLeft = (ctx: Pick<Context, 'settings'>, projectId: SQL): SQL<number | null> => sql`(
  select limited.most - ${countUsedPages(sql`limited.id`, toUtcDay(Date.now()))} from (
    select projects.id as id, ${selectJoinedLimit(ctx, 'pages_per_day')} as most from projects where projects.id = ${projectId}
  ) limited where limited.most is not null)`;

export async function getPageUsage(ctx: Context, projectId: string) {
  const id = sql`${projectId}`;
  const [row] = await ctx.db.all<{ used: number; most: number | null }>(
    sql`select ${countUsedPages(id, toUtcDay(Date.now()))} as used, ${selectPageLimit(ctx, id)} as most`,
  );
  return { used: row?.used ?? 0, limit: row?.most ?? null };
}

export interface PageAllowance {
  limit: number;
  /** Number of pages that were left at the last check. Concurrent work may have used some of them since. */
  left: number;
}

/** Creates the daily page quota of a project that has a limit. */
export function createPageQuota(ctx: Context, projectId: string, { limit, left }: PageAllowance): PageQuota {
  let known = left;
  /** UTC day of the last reservation. Unused pages are returned to this day, even after midnight. */
  let day = toUtcDay(Date.now());
  const refusal = () =>
    createLimitError(
      'pages_per_day',
      `Too few of the ${limit} pages that the project may use per day are left today`,
    );
  return {
    require() {
      if (known <= 0) throw refusal();
    },
    async take(wanted) {
      day = toUtcDay(Date.now());
      const all = wanted.reduce((sum, pages) => sum + pages, 0);
      if (await reservePages(ctx, projectId, day, all)) return wanted.map(() => undefined);
      known = await countPagesLeft(ctx, projectId);
      const answers: (Error | undefined)[] = [];
      for (const pages of wanted) {
        const isTaken = pages <= known && (await reservePages(ctx, projectId, day, pages));
        if (isTaken) known -= pages;
        answers.push(isTaken ? undefined : refusal());
      }
      return answers;
    },
    async refund(pages) {
      if (pages <= 0) return;
      await ctx.db.run(sql`update project_pages set pages = max(0, pages - ${pages})
        where project_id = ${projectId} and day = ${day}`);
    },
  };
}

async function countPagesLeft(ctx: Context, projectId: string): Promise<number> {
  const { used, limit } = await getPageUsage(ctx, projectId);
  return limit === null ? Number.POSITIVE_INFINITY : limit - used;
}

/**
 * Reserves pages if enough are left. A single statement checks and reserves, so that concurrent reservations
 * cannot exceed the limit.
 */
async function reservePages(ctx: Context, projectId: string, day: string, pages: number): Promise<boolean> {
  const owner = sql`limited.id`;
  const isKnown = sql`exists (select 1 from project_pages known where known.project_id = ${owner} and known.day = ${day})`;
  const rows = await ctx.db.all(sql`insert into project_pages (project_id, day, pages)
    select limited.id, ${day}, ${pages} + ${countRecordedPages(owner, day)} from (
      select projects.id as id, ${selectJoinedLimit(ctx, 'pages_per_day')} as most from projects where projects.id = ${projectId}
    ) limited
    where limited.most is null or ${isKnown} or ${pages} + ${countRecordedPages(owner, day)} <= limited.most
    on conflict (project_id, day) do update set pages = project_pages.pages + ${pages}
    where coalesce(project_pages.pages + ${pages} <= ${selectPageLimit(ctx, sql`${projectId}`)}, true)
    returning pages`);
  return rows.length > 0;
}
