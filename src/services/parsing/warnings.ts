import type { Context } from '#src/context.ts';
import type { Warning } from '#src/lib/effect.ts';
import { planOf } from '#src/reading/plan.ts';
import { dependsOnReading, readingWarnings } from '#src/reading/warnings.ts';
import { modelOf } from './model.ts';

/**
 * What of parse parameters changes nothing of how pages are read in this installation; `at` is the member of the
 * request that holds them; empty: they are members of the request itself.
 */
export async function parsingWarnings(
  ctx: Context,
  projectId: string,
  at: string,
  parameters: object | null | undefined,
): Promise<Warning[]> {
  if (!parameters || !dependsOnReading(parameters)) return [];
  const names = ctx.models.languageNames();
  // One whose tokens are used up, or that is misconfigured just now, is one that reads another time.
  const hasModel = await modelOf(ctx, projectId, planOf(parameters)).then(
    (model) => model !== undefined,
    () => true,
  );
  const warnings = readingWarnings(parameters, { hasModel, names });
  return warnings.map(({ field, reason }) => ({ field: at ? `${at}.${field}` : field, reason }));
}
