import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { JobState } from '#objects/job-state.ts';
import { dispatch } from '#queues/dispatch.ts';
import { extract } from '#queues/extract.ts';
import { createContext } from '#src/context/context.ts';
import { createObjects } from '#src/work/objects.ts';
import { call, upload } from '#test/support/client.ts';
import { INVOICE, INVOICE_SCHEMA, type JobBody, run, untilEnded } from '#test/support/jobs.ts';
import { keptBy, NOTHING } from '#test/support/objects.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';

const execution = { waitUntil() {}, passThroughOnException() {}, props: {} } as unknown as ExecutionContext;
const FAR = 3_600_000;

/** Opens the owner of a job without a queued message and, unless `jobId` is given, without a row. */
async function openOwner(jobId = `ext-${crypto.randomUUID()}`, limits = { timeoutMs: 60_000, attempts: 3 }) {
  const owner = createObjects(env).jobState(jobId);
  await owner.open({ kind: 'extract', jobId, ...limits });
  const stub = env.JOB_STATE.get(env.JOB_STATE.idFromName(jobId));
  const sql = (query: string) =>
    runInDurableObject(stub, (_instance, state) => {
      const rows = state.storage.sql.exec(query).toArray();
      // Set far in the future; tests run the alarm themselves.
      state.storage.setAlarm(Date.now() + FAR);
      return rows;
    });
  return { jobId, owner, stub, sql };
}

/** Creates a recorded job that no worker has started and that has no queued message. */
async function heldJob() {
  const file_input = await upload('invoice.md', INVOICE);
  const headers = { 'idempotency-key': crypto.randomUUID() };
  const body = { file_input, configuration: { data_schema: INVOICE_SCHEMA } };
  const { body: job } = await call<JobBody>('POST', '/api/v2/extract', { body, headers });
  await untilEnded('extract', job.id);
  await vi.waitFor(async () => expect(await createObjects(env).jobState(job.id).view()).toBeNull(), {
    timeout: PATIENCE_MS,
  });
  const held = await openOwner(job.id);
  await env.DB.prepare("update extract_jobs set status = 'PENDING', attempt = 0 where id = ?")
    .bind(job.id)
    .run();
  return held;
}

const getJob = async (id: string) => (await call<JobBody>('GET', `/api/v2/extract/${id}`)).body;

describe('the owner of a job', () => {
  it('gives the job to one worker, and ignores calls of other workers', async () => {
    const { owner } = await openOwner();
    expect(await owner.claim('one')).toEqual({ go: true, attempt: 1 });
    expect(await owner.claim('two')).toEqual({ go: false, attempt: 1 });
    expect(await owner.heartbeat('one', 'reading')).toBe(true);
    expect(await owner.heartbeat('two')).toBe(false);
    await owner.finish('two');
    expect(await owner.view()).toMatchObject({ phase: 'claimed', step: 'reading' });
    await owner.finish('one');
    expect(await owner.view()).toBeNull();
    expect(await owner.claim('one')).toEqual({ go: false, attempt: 0 });
  });

  it('rejects claims and heartbeats for a job that was dropped', async () => {
    const { owner } = await openOwner();
    await owner.drop();
    expect(await owner.view()).toBeNull();
    expect(await owner.claim('one')).toEqual({ go: false, attempt: 0 });
    expect(await owner.heartbeat('one')).toBe(false);
  });

  it('stores nothing once its job has ended', async () => {
    const { owner, stub } = await openOwner();
    await owner.claim('one');
    await owner.finish('one');
    expect(await keptBy(stub)).toEqual(NOTHING);
  });

  it('forgets a job whose project was deleted instead of resending the message', async () => {
    const { sql, stub } = await openOwner();
    await sql("update job set runtime = 'another process'");
    await runDurableObjectAlarm(stub);
    expect(await keptBy(stub)).toEqual(NOTHING);
  });

  it('cancels a job that has no owner state yet', async () => {
    const { jobId, owner } = await heldJob();
    await owner.drop();
    const answer = await call<JobBody>('POST', `/api/v2/extract/${jobId}/cancel`);
    expect(answer).toMatchObject({ status: 200, body: { status: 'CANCELLED' } });
  });

  it('ignores a second open', async () => {
    const { jobId, owner } = await openOwner();
    await owner.claim('one');
    await owner.open({ kind: 'extract', jobId, timeoutMs: 1, attempts: 1 });
    expect(await owner.view()).toMatchObject({ phase: 'claimed', attempt: 1 });
  });

  it('waits the requested time before the next attempt', async () => {
    const { owner, sql } = await openOwner();
    await owner.claim('one');
    const before = Date.now();
    await owner.release('one', 'too many requests', 90);
    expect(await owner.view()).toMatchObject({ phase: 'waiting', attempt: 1, failure: 'too many requests' });
    const [row] = await sql('select notBefore from job');
    expect(Number(row?.notBefore)).toBeGreaterThanOrEqual(before + 90_000);
    expect(await owner.claim('early')).toMatchObject({ go: false });
  });

  it('fails the job after the last attempt', async () => {
    const { jobId, owner, sql } = await heldJob();
    for (const attempt of [1, 2, 3]) {
      await sql('update job set notBefore = 0');
      expect(await owner.claim('one')).toEqual({ go: true, attempt });
      await owner.release('one', 'the provider is down');
    }
    expect(await owner.view()).toBeNull();
    expect(await getJob(jobId)).toMatchObject({ status: 'FAILED', error_message: 'the provider is down' });
  });

  it('reclaims the job of a silent worker by alarm, and ignores the late result', async () => {
    const { owner, sql, stub } = await openOwner();
    await owner.claim('silent');
    await sql('update job set leaseUntil = 1');
    await runDurableObjectAlarm(stub);
    expect(await owner.view()).toMatchObject({
      phase: 'waiting',
      failure: expect.stringContaining('stopped'),
    });
    expect(await owner.heartbeat('silent')).toBe(false);
    await owner.finish('silent');
    expect(await owner.view()).toMatchObject({ phase: 'waiting' });
  });

  it('fails a job that was started four times and never ended', async () => {
    const { jobId, owner, sql, stub } = await heldJob();
    for (const start of [1, 2, 3, 4]) {
      await sql('update job set notBefore = 0');
      expect(await owner.claim(`process ${start}`)).toEqual({ go: true, attempt: start });
      // Simulates a process that died and whose heartbeats stopped.
      await sql("update job set leaseUntil = 1, runtime = 'another process'");
      if (start === 4) expect(await owner.claim('process 5')).toMatchObject({ go: false });
      await runDurableObjectAlarm(stub);
      await runDurableObjectAlarm(stub);
    }
    await vi.waitFor(async () => expect(await owner.view()).toBeNull(), { timeout: PATIENCE_MS });
    expect(await getJob(jobId)).toMatchObject({
      status: 'FAILED',
      error_message:
        'The work was started 4 times and never ended. It probably crashes or blocks its process.',
    });
  });

  it('counts lost starts separately from failed attempts', async () => {
    const { owner, sql, stub } = await openOwner();
    for (const attempt of [1, 3, 5]) {
      await sql('update job set notBefore = 0');
      expect(await owner.claim('killed')).toEqual({ go: true, attempt });
      await sql('update job set leaseUntil = 1');
      await runDurableObjectAlarm(stub);
      expect((await sql('select starts from job'))[0]).toEqual({ starts: 1 });
      await sql('update job set notBefore = 0');
      expect(await owner.claim('one')).toEqual({ go: true, attempt: attempt + 1 });
      if (attempt === 5) break;
      await owner.release('one', 'the provider is down');
      expect((await sql('select starts, lost from job'))[0]).toEqual({ starts: 0, lost: (attempt + 1) / 2 });
    }
    expect(await owner.heartbeat('one')).toBe(true);
    await owner.finish('one');
    expect(await owner.view()).toBeNull();
  });

  it('ends an attempt that exceeds its timeout', async () => {
    const { owner, sql, stub } = await openOwner();
    await owner.claim('slow');
    await sql('update job set deadline = 1');
    expect(await owner.heartbeat('slow')).toBe(false);
    await runDurableObjectAlarm(stub);
    expect(await owner.view()).toMatchObject({
      phase: 'waiting',
      failure: expect.stringContaining('TIMEOUT'),
    });
  });

  it('resends a message that was lost with its process', async () => {
    const { jobId, sql, stub } = await heldJob();
    await sql("update job set runtime = 'another process'");
    await runDurableObjectAlarm(stub);
    expect(await untilEnded('extract', jobId)).toMatchObject({ status: 'COMPLETED', attempt: 1 });
  });

  it('shortens the lease of a worker from another process', async () => {
    const { owner, sql, stub } = await openOwner();
    await owner.claim('one');
    await sql("update job set runtime = 'another process'");
    await runDurableObjectAlarm(stub);
    const [row] = await sql('select leaseUntil, phase from job');
    expect(row?.phase).toBe('claimed');
    expect(Number(row?.leaseUntil)).toBeLessThan(Date.now() + 8_000);
    expect(await owner.heartbeat('one')).toBe(true);
  });

  it('cancels: the status changes immediately, and the worker stops at its next heartbeat', async () => {
    const { jobId, owner } = await heldJob();
    await owner.claim('one');
    const answer = await call<JobBody>('POST', `/api/v2/extract/${jobId}/cancel`);
    expect(answer).toMatchObject({ status: 200, body: { status: 'CANCELLED' } });
    expect(await owner.heartbeat('one')).toBe(false);
    await extract(createContext(env, execution), { type: 'extract', jobId });
    expect((await getJob(jobId)).status).toBe('CANCELLED');
    expect((await call('POST', `/api/v2/extract/${jobId}/cancel`)).status).toBe(200);
  });

  it('retries writing the final status', async () => {
    const { jobId, sql, stub } = await heldJob();
    await sql("update job set phase = 'failed', failure = 'no luck', settled = 0");
    await runDurableObjectAlarm(stub);
    expect(await getJob(jobId)).toMatchObject({ status: 'FAILED', error_message: 'no luck' });
  });
});

describe('a job’s message', () => {
  it('runs the job once even if the message is delivered many times', async () => {
    const { jobId } = await heldJob();
    const ctx = createContext(env, execution);
    const message = { type: 'extract' as const, jobId };
    await Promise.all(Array.from({ length: 5 }, () => extract(ctx, message)));
    await extract(ctx, message);
    expect(await getJob(jobId)).toMatchObject({ status: 'COMPLETED', attempt: 1 });
  });

  it('leaves the job to its owner if the message becomes a dead letter', async () => {
    const { jobId, owner } = await heldJob();
    await owner.claim('one');
    const events: string[] = [];
    const message = {
      id: '1',
      timestamp: new Date(),
      attempts: 1,
      body: { type: 'extract', jobId },
      ack: () => events.push('ack'),
      retry: () => events.push('retry'),
    };
    const batch = { queue: 'sluice-dead-letter', messages: [message], ackAll() {}, retryAll() {} };
    await dispatch(batch as unknown as MessageBatch, env, execution);
    expect(events).toEqual(['ack']);
    expect(await owner.heartbeat('one')).toBe(true);
    expect(await getJob(jobId)).toMatchObject({ status: 'PENDING' });
  });

  it('does nothing if the job was deleted', async () => {
    const { jobId } = await heldJob();
    await call('DELETE', `/api/v2/extract/${jobId}`);
    await extract(createContext(env, execution), { type: 'extract', jobId });
    expect((await call('GET', `/api/v2/extract/${jobId}`)).status).toBe(404);
  });
});

describe('the delivery lease', () => {
  it('belongs to one worker at a time, and becomes due again for later events', async () => {
    const { jobId, owner, sql } = await openOwner();
    expect(await owner.claimDeliveries('one')).toBe(false);
    await sql(`insert into delivery (id, jobId, dueAt) values (1, '${jobId}', 1)`);
    expect(await owner.claimDeliveries('one')).toBe(true);
    expect(await owner.claimDeliveries('two')).toBe(false);
    await sql('update delivery set more = 1');
    expect(await owner.claimDeliveries('one')).toBe(true);
    await owner.releaseDeliveries('two', null);
    expect((await sql('select consumer from delivery'))[0]).toEqual({ consumer: 'one' });
    await owner.releaseDeliveries('one', null);
    expect((await sql('select consumer, more from delivery'))[0]).toEqual({ consumer: null, more: 0 });
    expect(Number((await sql('select dueAt from delivery'))[0]?.dueAt)).toBeGreaterThan(1);
  });

  it('counts the starts of each delivery until the lease in which it was started ends', async () => {
    const { jobId, owner, sql } = await openOwner();
    await sql(`insert into delivery (id, jobId, dueAt) values (1, '${jobId}', 1)`);
    for (const start of [1, 2]) {
      await owner.claimDeliveries(`process ${start}`);
      expect(await owner.startDelivery(`process ${start}`, 'first')).toBe(start);
      await sql('update delivery set leaseUntil = 1');
    }
    await owner.claimDeliveries('process 3');
    expect(await owner.startDelivery('process 2', 'first')).toBeUndefined();
    expect(await owner.startDelivery('process 3', 'second')).toBe(1);
    await owner.releaseDeliveries('process 3', Date.now());
    await owner.claimDeliveries('process 4');
    expect(await owner.startDelivery('process 4', 'first')).toBe(1);
  });

  it('is retried later if its message cannot be sent', async () => {
    const stub = env.JOB_STATE.get(env.JOB_STATE.newUniqueId());
    await runInDurableObject(stub, async (_instance, state) => {
      const send = () => Promise.reject(new Error('no queue'));
      await new JobState(state, { ...env, WEBHOOKS_QUEUE: { send } } as never).notify('test-1');
      expect(await state.storage.getAlarm()).toBeGreaterThan(Date.now());
      await state.storage.deleteAlarm();
    });
  });

  it('ends when no delivery is left', async () => {
    const { jobId, owner, sql } = await openOwner();
    await sql(`insert into delivery (id, jobId, dueAt) values (1, '${jobId}', 1)`);
    await owner.claimDeliveries('one');
    await owner.releaseDeliveries('one', null);
    expect((await sql('select dueAt from delivery'))[0]).toEqual({ dueAt: null });
    expect(await owner.claimDeliveries('one')).toBe(false);
  });
});

it('many simultaneous jobs each complete once', async () => {
  const file_id = await upload('invoice.md', INVOICE);
  const jobs = await Promise.all(Array.from({ length: 30 }, () => run('parse', { file_id })));
  expect(jobs.every(({ status, attempt }) => status === 'COMPLETED' && attempt === 1)).toBe(true);
});
