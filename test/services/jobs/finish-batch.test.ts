import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Context, createContext, type TenantContext } from '#src/context/context.ts';
import { advanceBatch, type BatchCallbacks } from '#src/services/jobs/batches/advance-batch.ts';
import { cancelBatch, deleteBatch, getBatch, retryBatch } from '#src/services/jobs/batches/batches.ts';
import { createBatch } from '#src/services/jobs/batches/new-batch.ts';
import { EXTRACTION } from '#test/support/batches.ts';
import { insertFile, valuesOf } from '#test/support/inserted-rows.ts';
import { scopeOf } from '#test/support/scopes.ts';
import { createTenant } from '#test/support/tenants.ts';

const FILES = 3;

let ctx: TenantContext;
let id: string;
/** Ids of batches whose deliveries were announced. */
let notified: string[];
const callbacks: BatchCallbacks = { canCreate: true, announce: () => {} };

beforeEach(async () => {
  const tenant = await createTenant();
  const plain = createContext(env, { waitUntil() {} });
  const quietIntake = { advanceBatch: async () => undefined };
  notified = [];
  const jobState = (name: string) => ({
    ...plain.objects.jobState(name),
    notify: async () => void notified.push(name),
    cancel: ({ jobId }: { jobId: string }) => setStatus('CANCELLED', `id = '${jobId}'`),
    drop: async () => undefined,
  });
  const objects = { ...plain.objects, jobIntake: () => quietIntake, jobState };
  ctx = await scopeOf(tenant, {}, { ...plain, objects } as unknown as Context);
  const file_ids = await Promise.all(
    Array.from({ length: FILES }, () => insertFile(tenant.projectId, { storageKey: 'stored' })),
  );
  const endpoint = { webhook_url: 'https://hooks.example/' };
  const webhook_configurations = [
    { ...endpoint, webhook_events: ['batch.success' as const] },
    { ...endpoint, webhook_events: ['extract.success' as const] },
    endpoint,
  ];
  const configuration = { configuration: EXTRACTION, webhook_configurations };
  id = (await createBatch(ctx, { job_type: 'extract', ...configuration, file_ids, name: 'March' })).id;
});

const setStatus = (status: string, where = 'true') =>
  env.DB.prepare(`update extract_jobs set status = ? where batch_id = ? and ${where}`).bind(status, id).run();
const advance = () => advanceBatch(ctx, id, callbacks);
const readDeliveries = () => valuesOf('webhook_deliveries', 'event_type', `job_id = '${id}'`);
const readEvent = async () => {
  const [body] = await valuesOf('webhook_deliveries', 'body', `job_id = '${id}'`);
  return JSON.parse(String(body)) as { data: object; timestamp: number };
};

describe('the end of a batch', () => {
  it('is reported once, with counts, after the last job has ended', async () => {
    expect(await advance()).toBe('running');
    await setStatus('COMPLETED', `id <> (select max(id) from extract_jobs where batch_id = '${id}')`);
    expect(await advance()).toBe('running');
    expect([await readDeliveries(), (await getBatch(ctx, id)).finishedAt]).toEqual([[], null]);
    await setStatus('FAILED', `status = 'PENDING'`);
    expect(await Promise.all([advance(), advance()])).toContain('done');
    expect(await advance()).toBe('done');
    // One of the three endpoints has not subscribed to the event.
    expect(await readDeliveries()).toEqual(['batch.success', 'batch.success']);
    const { data, timestamp } = await readEvent();
    expect(data).toEqual({
      id,
      job_id: id,
      job_type: 'batch',
      batch_job_type: 'extract',
      name: 'March',
      status: 'COMPLETED',
      project_id: ctx.projectId,
      file_count: FILES,
      status_counts: { PENDING: 0, RUNNING: 0, COMPLETED: 2, FAILED: 1, CANCELLED: 0, DELETED: 0 },
    });
    expect((await getBatch(ctx, id)).finishedAt?.getTime()).toBe(Math.round(timestamp * 1000));
    expect(notified).toContain(id);
  });

  it('is announced again if a crash came between the report and its announcement', async () => {
    await advance();
    await setStatus('COMPLETED');
    await advance();
    notified = [];
    await advance();
    expect(notified).toEqual([id]);
    expect(await readDeliveries()).toHaveLength(2);
  });

  it('is reported again after a retry has run files again, but not after one that found none', async () => {
    await advance();
    await setStatus('FAILED');
    await advance();
    expect(await readDeliveries()).toEqual(['batch.error']);
    await retryBatch(ctx, id);
    expect((await getBatch(ctx, id)).finishedAt).toBeNull();
    expect(await advance()).toBe('running');
    await setStatus('COMPLETED', `status = 'PENDING'`);
    expect(await advance()).toBe('done');
    expect((await readDeliveries()).toSorted()).toEqual(['batch.error', 'batch.success', 'batch.success']);
    await retryBatch(ctx, id);
    expect(await advance()).toBe('done');
    expect(await readDeliveries()).toHaveLength(3);
  });

  it('is reported after each retry, also if it is the same as before', async () => {
    await advance();
    for (const runs of [1, 2]) {
      await setStatus('FAILED');
      expect(await advance()).toBe('done');
      expect(await readDeliveries()).toEqual(Array.from({ length: runs }, () => 'batch.error'));
      await retryBatch(ctx, id);
      expect(await advance()).toBe('running');
    }
  });

  it('is a cancellation, also of files that never got a job', async () => {
    await cancelBatch(ctx, id);
    expect(await advance()).toBe('done');
    expect(await readDeliveries()).toEqual(['batch.cancelled']);
    expect((await readEvent()).data).toMatchObject({
      status: 'CANCELLED',
      status_counts: { CANCELLED: FILES },
    });
    await cancelBatch(ctx, id);
    await advance();
    expect(await readDeliveries()).toHaveLength(1);
  });

  it('is not reported for a deleted batch, and its deliveries are deleted with the batch', async () => {
    await advance();
    await setStatus('COMPLETED');
    await advance();
    await deleteBatch(ctx, id);
    expect(await advance()).toBe('done');
    expect(await readDeliveries()).toEqual([]);
  });
});
