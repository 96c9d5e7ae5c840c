import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { createContext } from '#src/context/context.ts';
import { findMissedLimits } from '#src/services/evaluations/schedules/report.ts';
import { advanceSchedule } from '#src/services/evaluations/schedules/start-scheduled-run.ts';
import { call } from '#test/support/client.ts';
import {
  createQuestionSet,
  listRuns,
  putSchedule,
  RUNS,
  type RunBody,
  SETS,
  untilRunEnds,
} from '#test/support/evaluations.ts';
import { valuesOf } from '#test/support/inserted-rows.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { addFiles, createPipeline, sync } from '#test/support/pipelines.ts';
import { createTenant } from '#test/support/tenants.ts';
import { CONFIGS, type Config, DELIVERIES, type Delivery, waitForDeliveries } from './webhook-calls.ts';

const DAY = 86_400;
const NAMES = ['amber', 'birch', 'cedar', 'delta', 'ember', 'flint'];

const execute = (sql: string, ...values: unknown[]) =>
  env.DB.prepare(sql)
    .bind(...values)
    .run();

/** Makes the next run of a schedule due. */
const makeDue = (setId: string) =>
  execute('update evaluation_schedules set next_run_at = 1000 where question_set_id = ?', setId);

async function waitForRuns(setId: string, count: number): Promise<RunBody[]> {
  await expect.poll(async () => (await listRuns(setId)).length, { timeout: PATIENCE_MS }).toBe(count);
  const runs = await listRuns(setId);
  return Promise.all(runs.map(({ id }) => untilRunEnds(id)));
}

/** Creates an indexed pipeline with a question for each of its files, and an endpoint. */
async function makeScheduled() {
  const pipeline_id = await createPipeline();
  const texts = NAMES.map((name) => [`${name}.md`, `The lighthouse ${name} has a lamp of ${name} glass.`]);
  const files = await addFiles(pipeline_id, Object.fromEntries(texts));
  expect((await sync(pipeline_id)).status).toBe('SUCCESS');
  const questions = NAMES.map((name, index) => ({
    text: `Which lamp has the lighthouse ${name}?`,
    expected_documents: [{ document_id: files[index] }],
  }));
  const setId = await createQuestionSet(questions);
  const endpoint = { webhook_url: 'http://private.nowhere.example/hook', webhook_output_format: 'json' };
  const config = await call<Config>('POST', CONFIGS, { body: endpoint });
  const schedule = {
    interval_seconds: DAY,
    pipeline_id,
    at_least: { 'recall@5': 0.5 },
    webhook_configuration_ids: [config.body.id],
  };
  return { pipeline_id, setId, schedule, files };
}

async function readEvents(runId: string, count: number, caller: { key?: string } = {}) {
  const found = await waitForDeliveries(runId, count, caller.key);
  return Promise.all(
    found.map(async ({ id, event_type }) => {
      const { body } = await call<Delivery>('GET', `${DELIVERIES}/${id}`, caller);
      const { data } = JSON.parse(body.body!) as { data: Record<string, unknown> };
      return { event_type, data };
    }),
  );
}

describe('a schedule', () => {
  it('evaluates at once, and reports the end to its endpoints', async () => {
    const { setId, schedule } = await makeScheduled();
    const put = await putSchedule(setId, schedule);
    expect(put.body).toMatchObject({ question_set_id: setId, keep_runs: 10, paused: false });
    const [run] = await waitForRuns(setId, 1);
    expect(run).toMatchObject({
      status: 'COMPLETED',
      is_scheduled: true,
      report: { is_regression: false, missed: [], comparison: null, summary: 'All limits are met.' },
    });
    const [event, ...others] = await readEvents(run!.id, 1);
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      event_type: 'evaluation.success',
      data: {
        id: run!.id,
        job_type: 'evaluation',
        status: 'COMPLETED',
        project_id: expect.any(String),
        question_set_id: setId,
        question_count: 6,
        metrics: { 'recall@5': 1 },
        at_least: { 'recall@5': 0.5 },
        report: { is_regression: false },
      },
    });
    const read = await call<{ next_run_at: string }>('GET', `${SETS}/${setId}/schedule`);
    const wait = Date.parse(read.body.next_run_at) - Date.parse(put.body.next_run_at!);
    expect(wait).toBe(DAY * 1000);
  });

  it('reports a regression against the limits and the previous run', async () => {
    const { pipeline_id, setId, schedule, files } = await makeScheduled();
    await putSchedule(setId, schedule);
    const [first] = await waitForRuns(setId, 1);
    for (const id of files) {
      expect((await call('DELETE', `/api/v1/pipelines/${pipeline_id}/files/${id}`)).status).toBe(204);
    }
    expect((await sync(pipeline_id)).status).toBe('SUCCESS');
    await makeDue(setId);
    await putSchedule(setId, schedule);
    const [second] = await waitForRuns(setId, 2);
    expect(second!.report).toMatchObject({
      is_regression: true,
      missed: [{ metric: 'recall@5', bound: 'at_least', limit: 0.5, value: 0 }],
      comparison: { baseline_run_id: first!.id, verdict: 'worse', difference: -1 },
    });
    expect(second!.report?.summary).toMatch(/^recall@5 is 0, below the least value 0.5\. .* is worse than /);
    const events = await readEvents(second!.id, 2);
    expect(events.map(({ event_type }) => event_type).toSorted()).toEqual([
      'evaluation.regression',
      'evaluation.success',
    ]);
    // Deleting the run deletes its deliveries.
    expect((await call('DELETE', `${RUNS}/${second!.id}`)).status).toBe(204);
    expect(await valuesOf('webhook_deliveries', 'id', `job_id = '${second!.id}'`)).toEqual([]);
  });

  it('starts no run while the previous one has not ended, and none twice for the same time', async () => {
    const { setId, schedule } = await makeScheduled();
    await putSchedule(setId, schedule);
    const [run] = await waitForRuns(setId, 1);
    await execute(
      "update evaluation_runs set status = 'RUNNING', lease_until = ? where id = ?",
      ...[Date.now() + 3_600_000, run!.id],
    );
    const ctx = createContext(env, { waitUntil() {} });
    await makeDue(setId);
    expect(await advanceSchedule(ctx, setId)).toMatchObject({ state: 'running' });
    expect(await listRuns(setId)).toHaveLength(1);
    await execute("update evaluation_runs set status = 'COMPLETED' where id = ?", run!.id);
    await makeDue(setId);
    await advanceSchedule(ctx, setId);
    const started = await waitForRuns(setId, 2);
    // A crash before the next time was stored repeats the step.
    await makeDue(setId);
    const step = await advanceSchedule(ctx, setId);
    expect((await listRuns(setId)).map(({ id }) => id)).toEqual(started.map(({ id }) => id));
    expect((step as { checkAt: number }).checkAt).toBeGreaterThan(Date.now());
  });

  it('keeps the newest runs', async () => {
    const { setId, schedule } = await makeScheduled();
    const { id: manual } = (
      await call<RunBody>('POST', RUNS, {
        body: { question_set_id: setId, pipeline_id: schedule.pipeline_id },
      })
    ).body;
    await untilRunEnds(manual);
    const ctx = createContext(env, { waitUntil() {} });
    await putSchedule(setId, { ...schedule, keep_runs: 2 });
    const [first] = (await waitForRuns(setId, 2)).filter(({ is_scheduled }) => is_scheduled);
    for (const time of [2_000, 3_000]) {
      await execute('update evaluation_schedules set next_run_at = ? where question_set_id = ?', time, setId);
      await advanceSchedule(ctx, setId);
      await Promise.all((await listRuns(setId)).map(({ id }) => untilRunEnds(id)));
    }
    const left = await listRuns(setId);
    expect(left.filter(({ is_scheduled }) => is_scheduled)).toHaveLength(2);
    expect(left.map(({ id }) => id)).toContain(manual);
    expect(left.map(({ id }) => id)).not.toContain(first!.id);
  });

  it('reports a run that cannot start because its user left', async () => {
    const tenant = await createTenant();
    const { key } = tenant;
    const created = await call<{ id: string }>('POST', '/api/v1/pipelines', {
      key,
      body: { name: 'Harbour' },
    });
    const endpoint = { webhook_url: 'http://private.nowhere.example/hook' };
    const config = await call<Config>('POST', CONFIGS, { key, body: endpoint });
    const setId = await createQuestionSet([{ text: 'Which lamp?' }], { key });
    const schedule = {
      interval_seconds: DAY,
      pipeline_id: created.body.id,
      webhook_configuration_ids: [config.body.id],
      paused: true,
    };
    expect((await putSchedule(setId, schedule, { key })).status).toBe(200);
    expect(await listRuns(setId, { key })).toEqual([]);
    await execute('update evaluation_schedules set is_paused = 0 where question_set_id = ?', setId);
    await execute("update members set role = 'viewer' where user_id = ?", tenant.userId);
    await makeDue(setId);
    await advanceSchedule(createContext(env, { waitUntil() {} }), setId);
    const [run] = await listRuns(setId, { key });
    expect(run).toMatchObject({ status: 'FAILED', question_count: 0, report: { is_regression: false } });
    expect(run?.error_message).toContain('can no longer write to the project');
    const [event] = await readEvents(run!.id, 1, { key });
    expect(event).toMatchObject({ event_type: 'evaluation.error', data: { status: 'FAILED' } });
  });

  it('is paused, changed and deleted', async () => {
    const { setId, schedule } = await makeScheduled();
    const paused = await putSchedule(setId, { ...schedule, paused: true });
    expect(paused.body).toMatchObject({ paused: true, next_run_at: null });
    expect((await call('DELETE', `${SETS}/${setId}/schedule`)).status).toBe(204);
    expect((await call('GET', `${SETS}/${setId}/schedule`)).status).toBe(404);
    expect(await listRuns(setId)).toEqual([]);
  });

  it.each([
    ['interval_seconds', { interval_seconds: 3_599 }],
    ['at_least', { at_least: { latency_ms: 4 } }],
    ['at_most', { at_most: { mrr: 0.4 } }],
    ['keep_runs', { keep_runs: 1 }],
    ['pipeline_id', { pipeline_id: null }],
    ['webhook_configuration_ids', { webhook_configuration_ids: ['whk-nowhere'] }],
  ])('names the field %s if it is wrong', async (field, change) => {
    const setId = await createQuestionSet([{ text: 'Which lamp?' }]);
    const pipeline_id = await createPipeline();
    const answer = await putSchedule(setId, { interval_seconds: DAY, pipeline_id, ...change });
    expect(answer.status).toBe(422);
    expect(JSON.stringify(answer.body)).toContain(field);
  });

  it('is one of at most 10 of a project', async () => {
    const { key } = await createTenant();
    const created = await call<{ id: string }>('POST', '/api/v1/pipelines', {
      key,
      body: { name: 'Harbour' },
    });
    const schedule = { interval_seconds: DAY, pipeline_id: created.body.id, paused: true };
    for (let count = 0; count < 10; count += 1) {
      const setId = await createQuestionSet([], { key });
      expect((await putSchedule(setId, schedule, { key })).status).toBe(200);
    }
    const setId = await createQuestionSet([], { key });
    expect(await putSchedule(setId, schedule, { key })).toMatchObject({ status: 409 });
  });
});

it('a limit is missed below, above and without a value, but not exactly at it', () => {
  const limits = {
    at_least: { mrr: 0.5, 'recall@5': 0.5, said: 0.5 },
    at_most: { latency_ms: 100, answer_latency_ms: 100 },
    metric: 'mrr',
    webhook_configuration_ids: [],
  };
  const metrics = { mrr: 0.5, 'recall@5': 0.499, latency_ms: 100, answer_latency_ms: 101 };
  expect(findMissedLimits(limits, { completed: 1, failed: 0, scored: 1, metrics })).toEqual([
    { metric: 'recall@5', bound: 'at_least', limit: 0.5, value: 0.499 },
    { metric: 'said', bound: 'at_least', limit: 0.5, value: null },
    { metric: 'answer_latency_ms', bound: 'at_most', limit: 100, value: 101 },
  ]);
});
