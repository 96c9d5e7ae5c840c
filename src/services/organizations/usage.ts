import { and, eq, gte, lt, sql } from 'drizzle-orm';
import type { TenantContext } from '#src/context.ts';
import { usageRecords } from '#src/db/schema/index.ts';
import { modelUsageOf } from '#src/services/models/usage.ts';

export interface UsageTotals {
  jobs: number;
  pages: number;
  credits: number;
}

export interface UsagePeriod {
  from?: string | null | undefined;
  to?: string | null | undefined;
}

/** What a project's completed jobs cost, per product, from `from` on and before `to`, and what its models took. */
export async function usageOfProject(ctx: TenantContext, period: UsagePeriod) {
  const [jobs, models] = await Promise.all([
    usageOfJobs(ctx, period),
    modelUsageOf(ctx, ctx.projectId, period),
  ]);
  return { ...jobs, models };
}

async function usageOfJobs(
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
