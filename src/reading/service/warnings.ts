import type { Context } from '#src/context/context.ts';
import type { Warning } from '#src/lib/schema/effect.ts';
import { listPagePlans, planPages } from '#src/reading/plan/page-plan.ts';
import { needsModel } from '#src/reading/plan/plan.ts';
import { dependsOnReading, findReadingWarnings } from '#src/reading/plan/warnings.ts';
import { findOwnModelProblem, resolveModel } from './model.ts';

/**
 * Returns warnings about parse parameters that have no effect in this installation. `at` is the path of the
 * request field that contains the parameters. It is empty if the request itself contains them.
 */
export async function getParsingWarnings(
  ctx: Context,
  projectId: string,
  at: string,
  parameters: object | null | undefined,
): Promise<Warning[]> {
  if (!parameters || !dependsOnReading(parameters)) return [];
  const names = ctx.models.languageNames();
  const plans = listPagePlans(planPages(parameters)).filter(({ readingPlan: plan }) => needsModel(plan));
  // A language model counts as available even if its token limit is reached or its settings are temporarily
  // wrong.
  const read = await Promise.all(
    plans.map((plan) =>
      resolveModel(ctx, projectId, plan).then(
        (model) => model !== undefined,
        () => true,
      ),
    ),
  );
  const hasModel = read.includes(true);
  const problems = plans.flatMap((plan) => findOwnModelProblem(ctx, plan) ?? []);
  const readingWarnings = findReadingWarnings(parameters, { hasModel, names });
  const isFirst = ({ field }: Warning, at: number, all: Warning[]) =>
    all.findIndex((other) => other.field === field) === at;
  const warnings = [...problems, ...readingWarnings].filter(isFirst);
  return warnings.map(({ field, reason }) => ({ field: at ? `${at}.${field}` : field, reason }));
}
