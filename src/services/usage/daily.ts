import { and, between, eq, gte, lt, sql } from 'drizzle-orm';
import type { Context, TenantContext } from '#src/context/context.ts';
import { dailyActivity, usageRecords } from '#src/db/schema/index.ts';
import { DAY_MS, toUtcDay } from '#src/lib/day.ts';
import { Invalid } from '#src/lib/errors.ts';

/** Maximum and default number of days in a response with daily activity. */
export const MAX_DAYS = 366;
const DEFAULT_DAYS = 30;

export interface Span {
  start?: string | null | undefined;
  end?: string | null | undefined;
}

/**
 * Returns a project's activity for each UTC day from `start` to `end`, both inclusive. Throws Invalid if the
 * period is too long or ends before it starts.
 */
export async function getDailyUsage(ctx: TenantContext, span: Span) {
  const { start, end, days } = resolveSpan(span);
  const [activity, jobs] = await ctx.db.batch([
    selectActivity(ctx, ctx.projectId, start, end),
    selectJobUsage(ctx, ctx.projectId, start, end),
  ]);
  const activityByDay = new Map(activity.map((row) => [row.day, row]));
  const jobsByDay = Map.groupBy(jobs, ({ day }) => day);
  return {
    start,
    end,
    days: days.map((day) => {
      const counts = activityByDay.get(day);
      const products = jobsByDay.get(day) ?? [];
      const countJobs = (product: string) => products.find((row) => row.product === product)?.jobs ?? 0;
      return {
        day,
        retrievals: counts?.retrievals ?? 0,
        chats: counts?.chats ?? 0,
        syncs: counts?.syncs ?? 0,
        documents_indexed: counts?.documentsIndexed ?? 0,
        documents_failed: counts?.documentsFailed ?? 0,
        pages_indexed: counts?.pagesIndexed ?? 0,
        parse_jobs: countJobs('parse'),
        extract_jobs: countJobs('extract'),
        classify_jobs: countJobs('classify'),
        job_pages: products.reduce((sum, { pages }) => sum + pages, 0),
      };
    }),
  };
}

function resolveSpan(span: Span) {
  const last = span.end ? Date.parse(span.end) : Date.parse(toUtcDay(Date.now()));
  const first = span.start ? Date.parse(span.start) : last - (DEFAULT_DAYS - 1) * DAY_MS;
  const count = (last - first) / DAY_MS + 1;
  if (first < 0) throw createSpanError('start', 'must not be before 1970');
  if (count < 1) throw createSpanError('end', 'must not be before start');
  if (count > MAX_DAYS) throw createSpanError('start', `the period must not be longer than ${MAX_DAYS} days`);
  const days = Array.from({ length: count }, (_, index) => toUtcDay(first + index * DAY_MS));
  return { start: toUtcDay(first), end: toUtcDay(last), days };
}

const createSpanError = (field: keyof Span, msg: string) =>
  new Invalid([{ loc: ['query', field], msg, type: 'value_error' }]);

export const selectActivity = (ctx: Context, projectId: string, start: string, end: string) =>
  ctx.db
    .select()
    .from(dailyActivity)
    .where(and(eq(dailyActivity.projectId, projectId), between(dailyActivity.day, start, end)));

export function selectJobUsage(ctx: Context, projectId: string, start: string, end: string) {
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
