import { and, asc, eq, gte, lt, sql } from 'drizzle-orm';
import type { Context } from '#src/context/context.ts';
import { type ModelUsage, modelUsage } from '#src/db/schema/index.ts';
import { DAY_MS, toUtcDay } from '#src/lib/day.ts';
import { count, observe } from '#src/metrics/meter.ts';
import type { Prices } from '#src/ports/language-model.ts';

export interface ModelCall extends Pick<ModelUsage, 'projectId' | 'use' | 'model'> {
  inputTokens: number;
  outputTokens: number;
  isEstimated: boolean;
  hasFailed: boolean;
  milliseconds: number;
}

/**
 * Counts a finished call. The row is written in the background, and an error while writing is only logged.
 */
export function countCall(ctx: Context, call: ModelCall, prices?: Prices): void {
  observeCall(call, prices);
  ctx.metrics.flush();
  const { projectId, use, model, inputTokens, outputTokens } = call;
  const counts = {
    calls: 1,
    failures: Number(call.hasFailed),
    inputTokens,
    outputTokens,
    estimated: Number(call.isEstimated),
    milliseconds: Math.round(call.milliseconds),
  };
  const added = Object.fromEntries(
    Object.entries(counts).map(([name, count]) => [
      name,
      sql`${modelUsage[name as keyof typeof counts]} + ${count}`,
    ]),
  );
  const insert = ctx.db
    .insert(modelUsage)
    .values({ projectId, day: toUtcDay(Date.now()), use, model, ...counts })
    .onConflictDoUpdate({
      target: [modelUsage.projectId, modelUsage.day, modelUsage.use, modelUsage.model],
      set: added,
    });
  ctx.defer(insert.run());
}

function observeCall(call: ModelCall, prices: Prices | undefined): void {
  const { use, model, inputTokens, outputTokens, hasFailed, milliseconds } = call;
  count('sluice_model_calls_total', { use, model, outcome: hasFailed ? 'failed' : 'answered' });
  count('sluice_model_tokens_total', { use, model, direction: 'input' }, inputTokens);
  count('sluice_model_tokens_total', { use, model, direction: 'output' }, outputTokens);
  observe('sluice_model_seconds', { use, model }, milliseconds / 1000);
  if (!prices) return;
  const cost = (inputTokens * prices.input + outputTokens * prices.output) / 1_000_000;
  count('sluice_model_cost_total', { use, model }, cost);
}

/**
 * Returns a project's model usage per UTC day, from `from` (inclusive) to `to` (exclusive). A day that is
 * only partly in this period is included as a whole.
 */
export function getModelUsage(
  ctx: Context,
  projectId: string,
  { from, to }: { from?: string | null | undefined; to?: string | null | undefined },
): Promise<ModelUsage[]> {
  const first = from ? gte(modelUsage.day, toUtcDay(Date.parse(from))) : undefined;
  // Usage is stored per day. The day that contains `to` is included, unless `to` is its first millisecond.
  const last = to ? lt(modelUsage.day, toUtcDay(Date.parse(to) + DAY_MS - 1)) : undefined;
  return ctx.db.query.modelUsage.findMany({
    where: and(eq(modelUsage.projectId, projectId), first, last),
    orderBy: [asc(modelUsage.day), asc(modelUsage.use), asc(modelUsage.model)],
  });
}

/** Returns SQL for the tokens that all models of a project used today. */
export function selectTokensToday(projectId: string) {
  const day = toUtcDay(Date.now());
  return sql<number>`coalesce((select sum(input_tokens + output_tokens) from model_usage
    where project_id = ${projectId} and day = ${day}), 0)`;
}
