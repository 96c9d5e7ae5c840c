import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Context, createContext, type TenantContext } from '#src/context/context.ts';
import { NotFound } from '#src/lib/errors.ts';
import { advanceBatch } from '#src/services/jobs/batches/advance-batch.ts';
import { deleteBatch, getBatch } from '#src/services/jobs/batches/batches.ts';
import { createBatch } from '#src/services/jobs/batches/new-batch.ts';
import { findEndedJobs, handOver } from '#src/services/jobs/hand-over.ts';
import { getJob, getJobPage } from '#src/services/jobs/jobs.ts';
import { chooseExamples, iterateExamples } from '#src/services/jobs/reviews/examples.ts';
import { markRunning, settleJob } from '#src/services/jobs/transitions.ts';
import { deliverDue } from '#src/services/webhooks/deliver-due.ts';
import { getDelivery, getDeliveryPage } from '#src/services/webhooks/deliveries.ts';
import { EXTRACTION } from '#test/support/batches.ts';
import { insertDelivery, insertFile, insertJob, valuesOf } from '#test/support/inserted-rows.ts';
import { scopeOf } from '#test/support/scopes.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';

const callbacks = { canCreate: true, announce() {} };

let tenant: Tenant;
let ctx: TenantContext;
let isIntakeDown: boolean;
let id: string;
/** A running job of the batch, and one that has completed. */
let running: string;
let completed: string;

beforeEach(async () => {
  tenant = await createTenant();
  isIntakeDown = false;
  const plain = createContext(env, { waitUntil() {} });
  const intake = {
    async advanceBatch() {
      if (isIntakeDown) throw new Error('the intake could not be reached');
    },
  };
  const objects = { ...plain.objects, jobIntake: () => intake };
  ctx = await scopeOf(tenant, {}, { ...plain, objects } as unknown as Context);
  const file_ids = [await insertFile(tenant.projectId, { storageKey: 'stored' })];
  id = (await createBatch(ctx, { job_type: 'extract', configuration: EXTRACTION, file_ids })).id;
  const columns = { batchId: id, configurationId: 'cfg-1' };
  running = await insertJob('extract', tenant.projectId, { ...columns, status: 'RUNNING', attempt: 1 });
  completed = await insertJob('extract', tenant.projectId, columns);
});

async function approve(jobId: string): Promise<void> {
  await env.DB.prepare(
    `update extract_jobs set result = '{"total_due": 1}', result_metadata = '{}' where id = ?`,
  )
    .bind(jobId)
    .run();
  await env.DB.prepare(
    `insert into extract_reviews (id, project_id, job_id, revision, is_approved, corrections, user_id)
     values (?1, ?2, ?1, 1, true, '{}', ?3)`,
  )
    .bind(jobId, tenant.projectId, tenant.userId)
    .run();
}

describe('a batch whose deletion was requested', () => {
  it('has no jobs in any list, and none that runs or is handed over', async () => {
    await approve(completed);
    expect(await Array.fromAsync(iterateExamples(ctx, '1'))).toHaveLength(1);
    await deleteBatch(ctx, id);
    await expect(getJob(ctx, 'extract', completed)).rejects.toThrow(NotFound);
    expect(await getJobPage(ctx, 'extract', {})).toMatchObject({ items: [], total_size: 0 });
    expect(await markRunning(ctx, 'extract', running, 2)).toBeUndefined();
    const announced = [{ kind: 'extract' as const, jobId: running }];
    const none = { enqueue() {}, admit: () => 'unseen' as const };
    expect((await handOver(ctx, announced, none)).handedOver.size).toBe(0);
    expect(await findEndedJobs(ctx, announced)).toEqual([running]);
    expect(await Array.fromAsync(iterateExamples(ctx, '1'))).toEqual([]);
    expect(await chooseExamples(ctx, { use_reviewed_examples: true }, 'cfg-1')).toEqual([]);
    await expect(chooseExamples(ctx, { example_job_ids: [completed] }, null)).rejects.toThrow(completed);
  });

  it('has no results that are written afterwards', async () => {
    const ending = { status: 'COMPLETED', attempt: 1, columns: { result: { total_due: 1 } } } as const;
    const known = await getJob(ctx, 'extract', running);
    await deleteBatch(ctx, id);
    expect(await settleJob(ctx, 'extract', running, ending, known)).toMatchObject({ settled: false });
    expect(await valuesOf('extract_jobs', 'status', `id = '${running}'`)).toEqual(['RUNNING']);
  });

  it('has no webhook deliveries', async () => {
    const delivery = await insertDelivery(tenant.projectId, completed, { status: 'pending' });
    expect((await getDeliveryPage(ctx, {})).items).toHaveLength(1);
    await deleteBatch(ctx, id);
    expect((await getDeliveryPage(ctx, {})).items).toEqual([]);
    await expect(getDelivery(ctx, delivery)).rejects.toThrow(NotFound);
    const started: string[] = [];
    await deliverDue(ctx, completed, async (each) => started.push(each));
    expect(started).toEqual([]);
  });

  it('is deleted by a repeated request if the intake could not be reached', async () => {
    isIntakeDown = true;
    await expect(deleteBatch(ctx, id)).rejects.toThrow('could not be reached');
    await expect(getBatch(ctx, id)).rejects.toThrow(NotFound);
    isIntakeDown = false;
    await deleteBatch(ctx, id);
    while ((await advanceBatch(ctx, id, callbacks)) !== 'absent');
    expect(await valuesOf('extract_jobs', 'id', `batch_id = '${id}'`)).toEqual([]);
    await expect(deleteBatch(ctx, id)).rejects.toThrow(NotFound);
  });

  it('loses its unfinished jobs first', async () => {
    for (let count = 0; count < 60; count++) {
      await insertJob('extract', tenant.projectId, { batchId: id, id: `ext-0${count}-${id}` });
    }
    await deleteBatch(ctx, id);
    expect(await advanceBatch(ctx, id, callbacks)).toBe('more');
    expect(await valuesOf('extract_jobs', 'id', `id = '${running}'`)).toEqual([]);
  });
});
