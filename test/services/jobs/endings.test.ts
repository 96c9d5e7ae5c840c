import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { deadLetter } from '#queues/dead-letter.ts';
import { keys } from '#src/bucket/keys.ts';
import { createContext } from '#src/context/context.ts';
import { handOver } from '#src/services/jobs/hand-over.ts';
import { LIMITS } from '#src/services/jobs/kinds.ts';
import { runJob } from '#src/services/jobs/run-job.ts';
import { settleJob } from '#src/services/jobs/transitions.ts';
import { deliverDue } from '#src/services/webhooks/deliver-due.ts';
import { ClaimLost } from '#src/work/hold.ts';
import { createObjects } from '#src/work/objects.ts';
import { call, upload } from '#test/support/client.ts';
import { createJob, INVOICE, INVOICE_SCHEMA, untilEnded } from '#test/support/jobs.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';

/** For what a queue or an alarm does, on a busy machine too. */
const PATIENCE = { timeout: PATIENCE_MS };
const execution = { waitUntil() {}, passThroughOnException() {}, props: {} } as unknown as ExecutionContext;
const ctx = createContext(env, execution);
const objects = createObjects(env);

const hook = (event: string) => ({ webhook_url: 'http://nowhere.example/', webhook_events: [event] });

/** A recorded job with an endpoint, whose owner has forgotten it and whose deliveries have not been made. */
async function jobWith(event: string, status: string): Promise<{ id: string; project_id: string }> {
  const body = {
    file_input: await upload('invoice.md', INVOICE),
    configuration: { data_schema: INVOICE_SCHEMA },
    webhook_configurations: [hook(event)],
  };
  const { id, project_id } = await createJob('extract', body);
  await untilEnded('extract', id);
  await vi.waitFor(async () => expect(await deliveryOf(id)).toBe('dead'), PATIENCE);
  await vi.waitFor(async () => expect(await objects.jobState(id).view()).toBeNull(), PATIENCE);
  await env.DB.batch([
    env.DB.prepare('update extract_jobs set status = ?, attempt = 0 where id = ?').bind(status, id),
    env.DB.prepare("update webhook_deliveries set status = 'pending' where job_id = ?").bind(id),
  ]);
  return { id, project_id: project_id as string };
}

async function deliveryOf(id: string): Promise<unknown> {
  const row = await env.DB.prepare('select status from webhook_deliveries where job_id = ?').bind(id).first();
  return row?.status;
}

const open = (jobId: string) => objects.jobState(jobId).open({ kind: 'extract', jobId, ...LIMITS.extract });

const never = () => Promise.reject(new Error('there is nothing to perform'));

describe('a delivery whose secrets cannot be opened', () => {
  it('counts as an attempt that failed, and is not tried again at once', async () => {
    const { id } = await jobWith('extract.success', 'COMPLETED');
    await env.DB.prepare(
      "update webhook_deliveries set attempts = 0, next_attempt_at = null, configuration = json_set(configuration, '$.webhook_signing_secret', ?) where job_id = ?",
    )
      .bind(`sealed:v1:gone:${'A'.repeat(16)}:${'A'.repeat(40)}`, id)
      .run();
    const next = await deliverDue(ctx, id, async () => 1);
    expect(next).toBeGreaterThan(Date.now());
    const row = await env.DB.prepare(
      'select status, attempts, last_error from webhook_deliveries where job_id = ?',
    )
      .bind(id)
      .first();
    expect(row).toMatchObject({ status: 'pending', attempts: 1, last_error: expect.stringContaining('key') });
    // Tests of key rotation look at every secret there is.
    await env.DB.prepare('delete from webhook_deliveries where job_id = ?').bind(id).run();
  });
});

describe('an event that nobody was told to deliver', () => {
  it('is delivered when the worker that wrote the end died before it said so', async () => {
    const { id } = await jobWith('extract.success', 'COMPLETED');
    await open(id);
    await runJob(ctx, 'extract', id, never);
    await vi.waitFor(async () => expect(await deliveryOf(id)).toBe('dead'), PATIENCE);
  });

  it('is delivered when that was the last attempt', async () => {
    const { id } = await jobWith('extract.success', 'COMPLETED');
    expect(await settleJob(ctx, 'extract', id, { status: 'FAILED' })).toEqual({
      settled: false,
      events: true,
    });
  });

  it('is delivered when the job was cancelled before its owner had it', async () => {
    const { id } = await jobWith('extract.success', 'CANCELLED');
    expect(
      await handOver(ctx, [{ kind: 'extract', jobId: id }], { queueUp() {}, admit: () => 'unseen' }),
    ).toEqual({ over: new Set([id]), waiting: new Map() });
    await vi.waitFor(async () => expect(await deliveryOf(id)).toBe('dead'), PATIENCE);
    expect(await objects.jobState(id).view()).toBeNull();
  });
});

it('leaves a delivery whose message is a dead letter to the owner', async () => {
  const { id } = await jobWith('extract.success', 'COMPLETED');
  await deadLetter(ctx, crypto.randomUUID(), { type: 'deliver-webhook', jobId: id });
  expect(await deliveryOf(id)).toBe('pending');
});

it.each([
  ['notices', new ClaimLost()],
  ['does not notice', undefined],
])('keeps no result of a job that was deleted while it was written and %s', async (_, error) => {
  const { id, project_id } = await jobWith('extract.success', 'PENDING');
  await open(id);
  const key = keys.jobResult(project_id, id);
  await runJob(ctx, 'extract', id, async () => {
    await call('DELETE', `/api/v2/extract/${id}`);
    await env.FILES.put(key, '{}');
    if (error) throw error;
    return {};
  });
  expect(await env.FILES.head(key)).toBeNull();
});

it('gives no attempt more time than the platform gives a consumer', () => {
  for (const { timeoutMs } of Object.values(LIMITS)) expect(timeoutMs).toBeLessThan(15 * 60_000);
});
