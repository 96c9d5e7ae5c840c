import type { Context, TenantContext } from '#src/context/context.ts';
import type { Sample } from '#src/metrics/sample.ts';
import { requireOperator } from '#src/services/tenancy/bootstrap.ts';
import { createGauge, readGauges } from './gauges.ts';
import { computeShare } from './platform-limits/limit.ts';
import { measureLimits } from './platform-limits/measure.ts';
import { CLOUDFLARE_LIMITS } from './platform-limits/registry.ts';

/**
 * Returns all metrics, including the latest counters of this isolate and the current gauges. Requires the
 * bootstrap key.
 */
export async function readAllMetrics(ctx: TenantContext): Promise<Sample[]> {
  await requireOperator(ctx);
  if (ctx.settings.METRICS_SECONDS > 0) await ctx.metrics.write();
  const [counted, now] = await Promise.all([ctx.objects.metricsKeeper().all(), readGauges(ctx)]);
  return [...counted, ...now, ...(await readLimitShares(ctx, now))];
}

/** Returns a gauge for each limit that is cheap to measure. */
async function readLimitShares(ctx: Context, gauges: Sample[]): Promise<Sample[]> {
  const measured = await measureLimits(ctx, gauges, { onlyCheap: true });
  return measured.map(({ name, uses }) => {
    const shares = uses.map((use) => computeShare(CLOUDFLARE_LIMITS[name], use));
    return createGauge('sluice_limit_share', { limit: name }, Math.max(0, ...shares));
  });
}
