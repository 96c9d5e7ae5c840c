import { and, eq, gte, lt, sql } from 'drizzle-orm';
import type { TenantContext } from '#src/context/context.ts';
import { usageRecords } from '#src/db/schema/index.ts';
import { getJobUsage } from '#src/services/limits/jobs.ts';
import { getPageUsage } from '#src/services/limits/pages.ts';
import { getStorageUsage } from '#src/services/limits/storage.ts';
import { getTokenUsage } from '#src/services/models/language.ts';
import { getModelUsage } from '#src/services/models/usage.ts';

export interface UsageTotals {
  jobs: number;
  pages: number;
  credits: number;
}

export interface UsagePeriod {
  from?: string | null | undefined;
  to?: string | null | undefined;
}

/**
 * Returns the jobs, pages and credits of a project by product, and its model usage, from `from` (inclusive)
 * to `to` (exclusive). `limits` has the current usage of each limit.
 */
export async function getProjectUsage(ctx: TenantContext, period: UsagePeriod) {
  const [jobs, models, limits] = await Promise.all([
    getUsageByProduct(ctx, period),
    getModelUsage(ctx, ctx.projectId, period),
    getLimitUsage(ctx),
  ]);
  return { ...jobs, models, limits };
}

/** Returns how much of each limit of the project is used, with the limit itself. */
async function getLimitUsage(ctx: TenantContext) {
  const [storage, pages, tokens, jobs] = await Promise.all([
    getStorageUsage(ctx, ctx.projectId),
    getPageUsage(ctx, ctx.projectId),
    getTokenUsage(ctx, ctx.projectId),
    getJobUsage(ctx, ctx.projectId),
  ]);
  return { ...storage, pages_per_day: pages, concurrent_jobs: jobs, daily_tokens: tokens };
}

async function getUsageByProduct(
  ctx: TenantContext,
  period: UsagePeriod,
): Promise<{ total: UsageTotals; products: Record<string, UsageTotals> }> {
  const rows = await ctx.db
    .select({
      product: usageRecords.product,
      jobs: sql<number>`count(*)`,
      pages: sql<number>`sum(${usageRecords.pages})`,
      credits: sql<number>`sum(${usageRecords.credits})`,
    })
    .from(usageRecords)
    .where(
      and(
        eq(usageRecords.projectId, ctx.projectId),
        period.from ? gte(usageRecords.createdAt, new Date(period.from)) : undefined,
        period.to ? lt(usageRecords.createdAt, new Date(period.to)) : undefined,
      ),
    )
    .groupBy(usageRecords.product);
  const total = { jobs: 0, pages: 0, credits: 0 };
  for (const { jobs, pages, credits } of rows) {
    total.jobs += jobs;
    total.pages += pages;
    total.credits += credits;
  }
  return { total, products: Object.fromEntries(rows.map(({ product, ...totals }) => [product, totals])) };
}
