import type { Context } from '#src/context/context.ts';
import type { Check, CheckStep } from '#src/services/operating/check.ts';

/** Returns the findings of all pages, with a small page size. */
export async function allOf(ctx: Context, check: Check, fix = false, page_size = 2) {
  const findings: CheckStep['findings'] = [];
  let examined = 0;
  let token: string | null = null;
  do {
    const step: CheckStep = await check(ctx, { fix, page_size, page_token: token });
    findings.push(...step.findings);
    examined += step.examined;
    token = step.next_page_token;
  } while (token);
  return { examined, findings };
}
