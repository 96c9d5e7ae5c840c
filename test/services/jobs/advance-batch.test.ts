import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Context, createContext, type TenantContext } from '#src/context/context.ts';
import { openDatabase } from '#src/db/client.ts';
import { advanceBatch, type BatchCallbacks } from '#src/services/jobs/batches/advance-batch.ts';
import { cancelBatch, deleteBatch, getCountedBatch, retryBatch } from '#src/services/jobs/batches/batches.ts';
import { createBatch } from '#src/services/jobs/batches/new-batch.ts';
import { EXTRACTION } from '#test/support/batches.ts';
import { insertFile, valuesOf } from '#test/support/inserted-rows.ts';
import { databaseWhere } from '#test/support/meanwhile.ts';
import { scopeOf } from '#test/support/scopes.ts';
import { createTenant } from '#test/support/tenants.ts';

/** Files of the batch: more than one step creates jobs for. */
const FILES = 120;

let ctx: TenantContext;
let id: string;
/** Jobs that were announced, in order. Nothing runs them. */
let announced: string[];
const callbacks: BatchCallbacks = { canCreate: true, announce: (_kind, jobId) => void announced.push(jobId) };
const jobIds = () => valuesOf('extract_jobs', 'id', `batch_id = '${id}'`);

async function advanceUntilDone(): Promise<number> {
  for (let steps = 1; ; steps++) if ((await advanceBatch(ctx, id, callbacks)) !== 'more') return steps;
}

beforeEach(async () => {
  const tenant = await createTenant();
  const plain = createContext(env, { waitUntil() {} });
  const quietIntake = { advanceBatch: async () => undefined };
  const objects = { ...plain.objects, jobIntake: () => quietIntake };
  ctx = await scopeOf(tenant, {}, { ...plain, objects } as unknown as Context);
  const file_ids = await Promise.all(
    Array.from({ length: FILES }, () => insertFile(tenant.projectId, { storageKey: 'stored' })),
  );
  announced = [];
  id = (await createBatch(ctx, { job_type: 'extract', configuration: EXTRACTION, file_ids })).id;
});

describe('the jobs of a batch', () => {
  it('are created in steps, each job once', async () => {
    expect(await advanceBatch(ctx, id, callbacks)).toBe('more');
    expect(await jobIds()).toHaveLength(50);
    await advanceUntilDone();
    await advanceUntilDone();
    expect(new Set(await jobIds())).toEqual(new Set(announced));
    expect(announced).toHaveLength(FILES);
  });

  it('are created once each if a step crashes after announcing some of them', async () => {
    await advanceBatch(ctx, id, callbacks);
    let left = 7;
    const crash: BatchCallbacks = {
      ...callbacks,
      announce(kind, jobId) {
        if (left-- === 0) throw new Error('crash');
        callbacks.announce(kind, jobId);
      },
    };
    await expect(advanceBatch(ctx, id, crash)).rejects.toThrow('crash');
    expect(await jobIds()).toHaveLength(50);
    await advanceUntilDone();
    expect(await jobIds()).toHaveLength(FILES);
  });

  it('are created once each by two steps that run at the same time', async () => {
    await Promise.all([advanceBatch(ctx, id, callbacks), advanceBatch(ctx, id, callbacks)]);
    await advanceUntilDone();
    expect(await jobIds()).toHaveLength(FILES);
  });

  it('wait while the intake has many jobs', async () => {
    expect(await advanceBatch(ctx, id, { ...callbacks, canCreate: false })).toBe('wait');
    expect(await jobIds()).toEqual([]);
  });

  it('are not created after the batch was cancelled, and those that exist are cancelled', async () => {
    await advanceBatch(ctx, id, callbacks);
    await cancelBatch(ctx, id);
    await advanceUntilDone();
    const { status, counts } = await getCountedBatch(ctx, id);
    expect({ status, counts: counts.status }).toEqual({ status: 'CANCELLED', counts: { CANCELLED: FILES } });
    expect(await jobIds()).toHaveLength(50);
  });

  it('are fewer per step if their configuration is large', async () => {
    const [file] = await valuesOf('batch_items', 'file_id', `batch_id = '${id}'`);
    const file_ids = [String(file)];
    const configuration = { ...EXTRACTION, system_prompt: 'x'.repeat(100_000) };
    const large = await createBatch(ctx, { job_type: 'extract', configuration, file_ids });
    await env.DB.prepare('update batch_items set batch_id = ?1, position = position + 1 where batch_id = ?2')
      .bind(large.id, id)
      .run();
    id = large.id;
    await advanceBatch(ctx, id, callbacks);
    const created = (await jobIds()).length;
    expect(created).toBeGreaterThan(10);
    expect(created * 100_000).toBeLessThanOrEqual(4_000_000);
  });

  it('stay cancelled if the cancel request arrives during a retry', async () => {
    await cancelBatch(ctx, id);
    const meanwhile = databaseWhere(/^update batch_items/, () => cancelBatch(ctx, id));
    await retryBatch({ ...ctx, db: openDatabase(meanwhile) }, id);
    await advanceUntilDone();
    expect(await jobIds()).toEqual([]);
    await retryBatch(ctx, id);
    await advanceUntilDone();
    expect(await jobIds()).toHaveLength(FILES);
  });

  it('are deleted with the batch', async () => {
    await advanceUntilDone();
    await deleteBatch(ctx, id);
    await advanceUntilDone();
    expect(await jobIds()).toEqual([]);
    expect(await valuesOf('batch_items', 'position', `batch_id = '${id}'`)).toEqual([]);
    expect(await advanceBatch(ctx, id, callbacks)).toBe('absent');
  });

  it('fail with the reason if the project may not run jobs', async () => {
    const forbidden = JSON.stringify({ concurrent_jobs: 0 });
    await env.DB.prepare('update projects set limits = ? where id = ?').bind(forbidden, ctx.projectId).run();
    await advanceUntilDone();
    const { counts, status } = await getCountedBatch(ctx, id);
    expect({ status, counts: counts.status }).toEqual({ status: 'FAILED', counts: { FAILED: FILES } });
    expect(await valuesOf('batch_items', 'error_message', `batch_id = '${id}'`)).toContain(
      'The project is not allowed to run jobs (concurrent_jobs).',
    );
  });
});
