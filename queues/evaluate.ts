import type { Context } from '#src/context/context.ts';
import { performRun } from '#src/services/evaluations/perform-run.ts';
import type { Message } from '#src/work/messages.ts';

export function evaluate(ctx: Context, { runId }: Message<'evaluate'>): Promise<void> {
  return performRun(ctx, runId);
}
