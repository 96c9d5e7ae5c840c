import { and, eq, gte, lt, sql } from 'drizzle-orm';
import type { TenantContext } from '#src/context.ts';
import { usageRecords } from '#src/db/schema/index.ts';

export interface UsageTotals {
  jobs: number;
  pages: number;
  credits: number;
}

/** What a project's completed jobs cost, per product, from `from` on and before `to`. */
export async function usageOfProject(
  ctx: TenantContext,
  period: { from?: string | null | undefined; to?: string | null | undefined },
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
