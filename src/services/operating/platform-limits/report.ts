import type { Context } from '#src/context/context.ts';
import type { Sample } from '#src/metrics/sample.ts';
import type { Check } from '../check.ts';
import { createGauge, readGauges } from '../gauges.ts';
import { computeShare, reportUse } from './limit.ts';
import { measureLimits } from './measure.ts';
import { CLOUDFLARE_LIMITS } from './registry.ts';

/** Reports limits of the platform that this installation has nearly reached. */
export const checkLimits: Check = async (ctx) => {
  const measured = await measureLimits(ctx, await readGauges(ctx));
  const findings = measured.flatMap(({ name, uses }) =>
    uses.flatMap((use) => reportUse(name, CLOUDFLARE_LIMITS[name], use)),
  );
  return { examined: measured.length, findings, next_page_token: null };
};

/** Returns a gauge for each limit that is cheap to measure. `gauges` are the other current gauges. */
export async function readLimitShares(ctx: Context, gauges: Sample[]): Promise<Sample[]> {
  const measured = await measureLimits(ctx, gauges, { onlyCheap: true });
  return measured.map(({ name, uses }) => {
    const shares = uses.map((use) => computeShare(CLOUDFLARE_LIMITS[name], use));
    return createGauge('sluice_limit_share', { limit: name }, Math.max(0, ...shares));
  });
}
