import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { createObjects } from '#src/work/objects.ts';
import { createQuestionSet, listResults, startRun, untilRunEnds } from '#test/support/evaluations.ts';
import { createPipeline } from '#test/support/pipelines.ts';

const execute = (sql: string, ...values: unknown[]) =>
  env.DB.prepare(sql)
    .bind(...values)
    .run();

/** Creates a run that has ended, and makes it look as if its consumer was interrupted. */
async function interruptedRun(leaseUntil: number) {
  const pipeline_id = await createPipeline();
  const question_set_id = await createQuestionSet(
    ['One?', 'Two?', 'Three?'].map((text) => ({ text, expected_passages: [{ text: 'nothing' }] })),
  );
  const { id } = await startRun({ question_set_id, pipeline_id });
  expect((await untilRunEnds(id)).status).toBe('COMPLETED');
  await execute(
    `update evaluation_runs set status = 'RUNNING', consumer = 'ended', lease_until = ?, finished_at = null,
      summary = null where id = ?`,
    ...[leaseUntil, id],
  );
  const pending = "update evaluation_results set status = 'pending', metrics = null, attempts = 0";
  await execute(`${pending} where run_id = ? and position > 1`, id);
  const { projectId } = (await env.DB.prepare(
    'select project_id as projectId from evaluation_runs where id = ?',
  )
    .bind(id)
    .first<{ projectId: string }>())!;
  return { id, resume: () => createObjects(env).jobIntake(projectId).advanceEvaluation(id) };
}

it('an interrupted run continues with the questions that are left', async () => {
  const { id, resume } = await interruptedRun(1);
  await execute(
    'update evaluation_results set metrics = \'{"mrr": 0.25}\' where run_id = ? and position = 1',
    id,
  );
  await resume();
  expect(await untilRunEnds(id)).toMatchObject({
    status: 'COMPLETED',
    summary: { completed_count: 3, failed_count: 0 },
  });
  // The first question has kept its result, so that it was not evaluated again.
  const results = await listResults(id);
  expect(results.map(({ metrics }) => metrics?.mrr)).toEqual([0.25, 0, 0]);
});

it('a question that was started too often fails alone', async () => {
  const { id, resume } = await interruptedRun(1);
  await execute('update evaluation_results set attempts = 3 where run_id = ? and position = 2', id);
  await resume();
  expect(await untilRunEnds(id)).toMatchObject({
    status: 'COMPLETED',
    summary: { completed_count: 2, failed_count: 1, scored_count: 2 },
  });
  const results = await listResults(id);
  expect(results.map(({ status }) => status)).toEqual(['completed', 'failed', 'completed']);
  expect(results[1]?.error_message).toContain('started 3 times');
});

it('a run that another consumer holds is left to this consumer', async () => {
  const { id, resume } = await interruptedRun(Date.now() + 3_000);
  await resume();
  await new Promise((resolve) => setTimeout(resolve, 500));
  expect(await listResults(id, '?status=pending')).toHaveLength(2);
  // The intake continues the run when the lease has expired.
  expect((await untilRunEnds(id)).status).toBe('COMPLETED');
});
