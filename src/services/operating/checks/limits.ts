import type { Check } from '#src/services/operating/check.ts';
import { readGauges } from '#src/services/operating/gauges.ts';
import { reportUse } from '#src/services/operating/platform-limits/limit.ts';
import { measureLimits } from '#src/services/operating/platform-limits/measure.ts';
import { CLOUDFLARE_LIMITS } from '#src/services/operating/platform-limits/registry.ts';

/** Reports limits of the platform that this installation has nearly reached. */
export const checkLimits: Check = async (ctx) => {
  const measured = await measureLimits(ctx, await readGauges(ctx));
  const findings = measured.flatMap(({ name, uses }) =>
    uses.flatMap((use) => reportUse(name, CLOUDFLARE_LIMITS[name], use)),
  );
  return { examined: measured.length, findings, next_page_token: null };
};
