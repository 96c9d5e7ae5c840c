import type { TenantContext } from '#src/context/context.ts';
import type { Sample } from '#src/metrics/sample.ts';
import { requireOperator } from '#src/services/tenancy/bootstrap.ts';
import { readGauges } from './gauges.ts';
import { readLimitShares } from './platform-limits/report.ts';

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
