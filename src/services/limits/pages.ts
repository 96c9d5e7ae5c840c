import { type SQL, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import type { PageQuota } from '#src/ingest/quota.ts';
import { dayOf } from '#src/lib/day.ts';
import { inForce, reached } from './limits.ts';

/** Pages that were counted for the day before the first reservation. `owner` is the project's id. */
const seedOf = (owner: SQL, day: string) => sql`(
  (select coalesce(sum(done.pages_indexed), 0) from daily_activity done
    where done.project_id = ${owner} and done.day = ${day})
  + (select coalesce(sum(record.pages), 0) from usage_records record
    where record.project_id = ${owner} and record.created_at >= ${Date.parse(day)}))`;

const takenOf = (owner: SQL, day: string) => sql`coalesce(
  (select taken.pages from project_pages taken where taken.project_id = ${owner} and taken.day = ${day}),
  ${seedOf(owner, day)})`;

/** Column with the project's daily page limit; null without a limit. */
export const pagesLimit = (ctx: Pick<Context, 'settings'>, projectId: SQL): SQL<number | null> =>
  sql`(select ${inForce(ctx, 'pages_per_day')} from projects where projects.id = ${projectId})`;

/** Column with the remaining pages of today; null without a limit, because nothing is counted then. */
export const pagesLeft = (ctx: Pick<Context, 'settings'>, projectId: SQL): SQL<number | null> => sql`(
  select limited.most - ${takenOf(sql`limited.id`, dayOf(Date.now()))} from (
    select projects.id as id, ${inForce(ctx, 'pages_per_day')} as most from projects where projects.id = ${projectId}
  ) limited where limited.most is not null)`;

/** Returns the pages used today and the daily limit. */
export async function pagesOf(ctx: Context, projectId: string) {
  const id = sql`${projectId}`;
  const [row] = await ctx.db.all<{ used: number; most: number | null }>(
    sql`select ${takenOf(id, dayOf(Date.now()))} as used, ${pagesLimit(ctx, id)} as most`,
  );
  return { used: row?.used ?? 0, limit: row?.most ?? null };
}

export interface Pages {
  limit: number;
  /** Remaining pages at the last check. Reservations are made in the database. */
  left: number;
}

/** Creates the daily page quota of a project. It is not used without a limit. */
export function pageQuota(ctx: Context, projectId: string, { limit, left }: Pages): PageQuota {
  let known = left;
  /** Day of the last reservation. Pages are returned to that day, even after midnight. */
  let day = dayOf(Date.now());
  const refusal = () =>
    reached('pages_per_day', `Of the ${limit} pages that the project has a day too few are left today`);
  return {
    require() {
      if (known <= 0) throw refusal();
    },
    async take(wanted) {
      day = dayOf(Date.now());
      const all = wanted.reduce((sum, pages) => sum + pages, 0);
      if (await take(ctx, projectId, day, all)) return wanted.map(() => undefined);
      known = await leftNow(ctx, projectId);
      const answers: (Error | undefined)[] = [];
      for (const pages of wanted) {
        const isTaken = pages <= known && (await take(ctx, projectId, day, pages));
        if (isTaken) known -= pages;
        answers.push(isTaken ? undefined : refusal());
      }
      return answers;
    },
    async giveBack(pages) {
      if (pages <= 0) return;
      await ctx.db.run(sql`update project_pages set pages = max(0, pages - ${pages})
        where project_id = ${projectId} and day = ${day}`);
    },
  };
}

async function leftNow(ctx: Context, projectId: string): Promise<number> {
  const { used, limit } = await pagesOf(ctx, projectId);
  return limit === null ? Number.POSITIVE_INFINITY : limit - used;
}

/** A single statement, so that concurrent reservations see each other. */
async function take(ctx: Context, projectId: string, day: string, pages: number): Promise<boolean> {
  const owner = sql`limited.id`;
  const isKnown = sql`exists (select 1 from project_pages known where known.project_id = ${owner} and known.day = ${day})`;
  const rows = await ctx.db.all(sql`insert into project_pages (project_id, day, pages)
    select limited.id, ${day}, ${pages} + ${seedOf(owner, day)} from (
      select projects.id as id, ${inForce(ctx, 'pages_per_day')} as most from projects where projects.id = ${projectId}
    ) limited
    where limited.most is null or ${isKnown} or ${pages} + ${seedOf(owner, day)} <= limited.most
    on conflict (project_id, day) do update set pages = project_pages.pages + ${pages}
    where coalesce(project_pages.pages + ${pages} <= ${pagesLimit(ctx, sql`${projectId}`)}, true)
    returning pages`);
  return rows.length > 0;
}
