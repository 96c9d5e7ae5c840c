import type { Context } from '#src/context/context.ts';
import type { Warning } from '#src/lib/schema/effect.ts';
import { needsModel } from '#src/reading/plan/plan.ts';
import { dependsOnReading, readingWarnings } from '#src/reading/plan/warnings.ts';
import { allWays, waysOf } from '#src/reading/plan/ways.ts';
import { modelOf, ownProblemOf } from './model.ts';

/**
 * Returns warnings about parse parameters without effect on reading in this installation. `at` is the member
 * of the request that holds them; empty for the request itself.
 */
export async function parsingWarnings(
  ctx: Context,
  projectId: string,
  at: string,
  parameters: object | null | undefined,
): Promise<Warning[]> {
  if (!parameters || !dependsOnReading(parameters)) return [];
  const names = ctx.models.languageNames();
  // A model without remaining tokens or with a temporary misconfiguration still counts.
  const ways = allWays(waysOf(parameters)).filter(({ plan }) => needsModel(plan));
  // A model without remaining tokens or with a temporary misconfiguration still counts.
  const read = await Promise.all(
    ways.map((way) =>
      modelOf(ctx, projectId, way).then(
        (model) => model !== undefined,
        () => true,
      ),
    ),
  );
  const hasModel = read.includes(true);
  const problems = ways.flatMap((way) => ownProblemOf(ctx, way) ?? []);
  const told = readingWarnings(parameters, { hasModel, names });
  const isTold = ({ field }: Warning, at: number, all: Warning[]) =>
    all.findIndex((other) => other.field === field) === at;
  const warnings = [...problems, ...told].filter(isTold);
  return warnings.map(({ field, reason }) => ({ field: at ? `${at}.${field}` : field, reason }));
}
