import { and, between, eq, gte, lt, sql } from 'drizzle-orm';
import type { Context, TenantContext } from '#src/context/context.ts';
import { dailyActivity, usageRecords } from '#src/db/schema/index.ts';
import { DAY_MS, dayOf } from '#src/lib/day.ts';
import { Invalid } from '#src/lib/errors.ts';

/** Maximum and default number of days that are returned. */
export const MOST_DAYS = 366;
const USUAL_DAYS = 30;

export interface Span {
  start?: string | null | undefined;
  end?: string | null | undefined;
}

/**
 * Returns a project's activity for each UTC day from `start` to `end`, both included. Rejects with Invalid
 * for a span that is too long or empty.
 */
export async function dailyUsage(ctx: TenantContext, span: Span) {
  const { start, end, days } = daysOf(span);
  const [activity, jobs] = await ctx.db.batch([
    activityRows(ctx, ctx.projectId, start, end),
    jobRows(ctx, ctx.projectId, start, end),
  ]);
  const activityOf = new Map(activity.map((row) => [row.day, row]));
  const jobsOf = Map.groupBy(jobs, ({ day }) => day);
  return {
    start,
    end,
    days: days.map((day) => {
      const did = activityOf.get(day);
      const products = jobsOf.get(day) ?? [];
      const of = (product: string) => products.find((row) => row.product === product)?.jobs ?? 0;
      return {
        day,
        retrievals: did?.retrievals ?? 0,
        chats: did?.chats ?? 0,
        syncs: did?.syncs ?? 0,
        documents_indexed: did?.documentsIndexed ?? 0,
        documents_failed: did?.documentsFailed ?? 0,
        pages_indexed: did?.pagesIndexed ?? 0,
        parse_jobs: of('parse'),
        extract_jobs: of('extract'),
        classify_jobs: of('classify'),
        job_pages: products.reduce((sum, { pages }) => sum + pages, 0),
      };
    }),
  };
}

function daysOf(span: Span) {
  const last = span.end ? Date.parse(span.end) : Date.parse(dayOf(Date.now()));
  const first = span.start ? Date.parse(span.start) : last - (USUAL_DAYS - 1) * DAY_MS;
  const count = (last - first) / DAY_MS + 1;
  if (first < 0) throw wrong('start', 'nothing was counted before 1970');
  if (count < 1) throw wrong('end', 'must not be before start');
  if (count > MOST_DAYS) throw wrong('start', `at most ${MOST_DAYS} days can be shown`);
  const days = Array.from({ length: count }, (_, index) => dayOf(first + index * DAY_MS));
  return { start: dayOf(first), end: dayOf(last), days };
}

const wrong = (field: keyof Span, msg: string) =>
  new Invalid([{ loc: ['query', field], msg, type: 'value_error' }]);

export const activityRows = (ctx: Context, projectId: string, start: string, end: string) =>
  ctx.db
    .select()
    .from(dailyActivity)
    .where(and(eq(dailyActivity.projectId, projectId), between(dailyActivity.day, start, end)));

export function jobRows(ctx: Context, projectId: string, start: string, end: string) {
  const day = sql<string>`date(${usageRecords.createdAt} / 1000, 'unixepoch')`;
  return ctx.db
    .select({
      day: day.as('day'),
      product: usageRecords.product,
      jobs: sql<number>`count(*)`,
      pages: sql<number>`sum(${usageRecords.pages})`,
    })
    .from(usageRecords)
    .where(
      and(
        eq(usageRecords.projectId, projectId),
        gte(usageRecords.createdAt, new Date(start)),
        lt(usageRecords.createdAt, new Date(Date.parse(end) + DAY_MS)),
      ),
    )
    .groupBy(day, usageRecords.product);
}
