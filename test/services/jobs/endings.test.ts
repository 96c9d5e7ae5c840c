import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { handleDeadLetter } from '#queues/dead-letter.ts';
import { keys } from '#src/bucket/keys.ts';
import { createContext } from '#src/context/context.ts';
import { handOver } from '#src/services/jobs/hand-over.ts';
import { ATTEMPT_LIMITS } from '#src/services/jobs/kinds.ts';
import { runJob } from '#src/services/jobs/run-job.ts';
import { settleJob } from '#src/services/jobs/transitions.ts';
import { deliverDue } from '#src/services/webhooks/deliver-due.ts';
import { ClaimLost } from '#src/work/held-lease.ts';
import { createObjects } from '#src/work/objects.ts';
import { call, upload } from '#test/support/client.ts';
import { createJob, INVOICE, INVOICE_SCHEMA, untilEnded } from '#test/support/jobs.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';

/** Timeout for queues and alarms on a busy machine. */
const PATIENCE = { timeout: PATIENCE_MS };
const execution = { waitUntil() {}, passThroughOnException() {}, props: {} } as unknown as ExecutionContext;
const ctx = createContext(env, execution);
const objects = createObjects(env);

const hook = (event: string) => ({ webhook_url: 'http://nowhere.example/', webhook_events: [event] });

/** Creates a recorded job with a pending delivery, whose owner has no state left. */
async function jobWith(event: string, status: string): Promise<{ id: string; project_id: string }> {
  const body = {
    file_input: await upload('invoice.md', INVOICE),
    configuration: { data_schema: INVOICE_SCHEMA },
    webhook_configurations: [hook(event)],
  };
  const { id, project_id } = await createJob('extract', body);
  await untilEnded('extract', id);
  await vi.waitFor(async () => expect(await getDeliveryStatus(id)).toBe('dead'), PATIENCE);
  await vi.waitFor(async () => expect(await objects.jobState(id).view()).toBeNull(), PATIENCE);
  await env.DB.batch([
    env.DB.prepare('update extract_jobs set status = ?, attempt = 0 where id = ?').bind(status, id),
    env.DB.prepare("update webhook_deliveries set status = 'pending' where job_id = ?").bind(id),
  ]);
  return { id, project_id: project_id as string };
}

async function getDeliveryStatus(id: string): Promise<unknown> {
  const row = await env.DB.prepare('select status from webhook_deliveries where job_id = ?').bind(id).first();
  return row?.status;
}

const open = (jobId: string) =>
  objects.jobState(jobId).open({ kind: 'extract', jobId, ...ATTEMPT_LIMITS.extract });

const never = () => Promise.reject(new Error('there is nothing to perform'));

describe('a delivery whose secrets cannot be opened', () => {
  it('counts as a failed attempt, and is retried later', async () => {
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
    // Removes the row, because key rotation tests read every secret in the database.
    await env.DB.prepare('delete from webhook_deliveries where job_id = ?').bind(id).run();
  });
});

describe('an event that was not announced for delivery', () => {
  it('is delivered after the worker died between writing the end and announcing it', async () => {
    const { id } = await jobWith('extract.success', 'COMPLETED');
    await open(id);
    await runJob(ctx, 'extract', id, never);
    await vi.waitFor(async () => expect(await getDeliveryStatus(id)).toBe('dead'), PATIENCE);
  });

  it('is delivered if that was the last attempt', async () => {
    const { id } = await jobWith('extract.success', 'COMPLETED');
    expect(await settleJob(ctx, 'extract', id, { status: 'FAILED' })).toEqual({
      settled: false,
      events: true,
    });
  });

  it('is delivered if the job was cancelled before its owner received it', async () => {
    const { id } = await jobWith('extract.success', 'CANCELLED');
    expect(
      await handOver(ctx, [{ kind: 'extract', jobId: id }], { enqueue() {}, admit: () => 'unseen' }),
    ).toEqual({ handedOver: new Set([id]), waiting: new Map() });
    await vi.waitFor(async () => expect(await getDeliveryStatus(id)).toBe('dead'), PATIENCE);
    expect(await objects.jobState(id).view()).toBeNull();
  });
});

it('a dead letter of a delivery leaves the delivery pending for the owner', async () => {
  const { id } = await jobWith('extract.success', 'COMPLETED');
  await handleDeadLetter(ctx, crypto.randomUUID(), { type: 'deliver-webhook', jobId: id });
  expect(await getDeliveryStatus(id)).toBe('pending');
});

it.each([
  ['notices', new ClaimLost()],
  ['does not notice', undefined],
])(
  'a job that was deleted while its result was written, and whose worker %s, leaves no result',
  async (_, error) => {
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
  },
);

it('every attempt limit is shorter than the limit of a queue consumer', () => {
  for (const { timeoutMs } of Object.values(ATTEMPT_LIMITS)) expect(timeoutMs).toBeLessThan(15 * 60_000);
});
