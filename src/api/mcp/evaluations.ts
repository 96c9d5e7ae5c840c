import type { z } from 'zod';
import { runBody } from '#src/api/v1/evaluations/runs.schemas.ts';
import type { Fence } from './fence.ts';

/** Evaluation run as the tools return it. */
export const evaluation = runBody.pick({
  id: true,
  name: true,
  question_set_id: true,
  question_set_name: true,
  pipeline_id: true,
  retriever_id: true,
  target_name: true,
  status: true,
  error_message: true,
  question_count: true,
  summary: true,
  report: true,
});

/** Describes a run with its measures in a few lines. */
export function formatEvaluation(run: z.output<typeof evaluation>, fence: Fence): string {
  const { summary } = run;
  const counts = `${summary?.completed_count ?? 0} of ${run.question_count} questions evaluated, ${summary?.failed_count ?? 0} failed.`;
  const measures = Object.entries(summary?.metrics ?? {}).map(
    ([metric, value]) => `${metric}: ${Number(value.toFixed(4))}`,
  );
  const texts = [
    `${JSON.stringify(run.name)} evaluates ${JSON.stringify(run.target_name)} with ${JSON.stringify(run.question_set_name)}`,
    ...(run.error_message ? [run.error_message] : []),
    ...(run.report ? [run.report.summary] : []),
  ];
  return [`Run ${run.id}: ${run.status}. ${counts}`, fence(texts.join('\n')), ...measures].join('\n');
}
