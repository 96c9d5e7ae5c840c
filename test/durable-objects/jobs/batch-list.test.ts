import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeEach, expect, it } from 'vitest';
import { BATCHES_TABLE, BatchList, MAX_FAILURES } from '#objects/jobs/batch-list.ts';
import { type Context, createContext, type TenantContext } from '#src/context/context.ts';
import { failWaitingItems } from '#src/services/jobs/batches/advance-batch.ts';
import { cancelBatch } from '#src/services/jobs/batches/batches.ts';
import { createBatch } from '#src/services/jobs/batches/new-batch.ts';
import { EXTRACTION } from '#test/support/batches.ts';
import { insertFile, valuesOf } from '#test/support/inserted-rows.ts';
import { scopeOf } from '#test/support/scopes.ts';
import { createTenant } from '#test/support/tenants.ts';

const HOUR_MS = 3_600_000;

let ctx: TenantContext;
let id: string;

beforeEach(async () => {
  const tenant = await createTenant();
  const plain = createContext(env, { waitUntil() {} });
  const quietIntake = { advanceBatch: async () => undefined };
  const objects = { ...plain.objects, jobIntake: () => quietIntake };
  ctx = await scopeOf(tenant, {}, { ...plain, objects } as unknown as Context);
  const file_ids = [await insertFile(tenant.projectId, { storageKey: 'stored' })];
  id = (await createBatch(ctx, { job_type: 'extract', configuration: EXTRACTION, file_ids })).id;
});

/** Runs a test with a list that contains the batch, in the storage of an object of its own. */
function withList(test: (list: BatchList, sql: SqlStorage) => Promise<void>): Promise<void> {
  const stub = env.JOB_INTAKE.get(env.JOB_INTAKE.idFromName(crypto.randomUUID()));
  return runInDurableObject(stub, async (_, { storage: { sql } }) => {
    sql.exec(BATCHES_TABLE);
    const list = new BatchList(sql, createContext(env, { waitUntil() {} }));
    list.add(id, Date.now());
    await test(list, sql);
  });
}

const failing = {
  canCreate: true,
  announce() {
    throw new Error('the storage is full');
  },
};
const working = { canCreate: true, announce() {} };
const itemStates = () => valuesOf('batch_items', 'state', `batch_id = '${id}'`);
const jobs = () => valuesOf('extract_jobs', 'id', `batch_id = '${id}'`);

/** Fails steps until the waiting files are given up. Returns the waits between the steps in milliseconds. */
async function failUntilGivenUp(list: BatchList): Promise<number[]> {
  const waits: number[] = [];
  for (let failures = 0; failures < MAX_FAILURES; failures++) {
    expect(await itemStates()).toEqual(['waiting']);
    await list.advance(Date.now() + HOUR_MS, failing);
    waits.push(list.wakeAt()! - Date.now());
  }
  return waits;
}

it('waits longer after each failed step, and finally marks the files as failed with a reason', async () => {
  await withList(async (list) => {
    const waits = await failUntilGivenUp(list);
    expect(waits[0]).toBeLessThanOrEqual(3_000);
    expect(waits[3]).toBeGreaterThan(2 * waits[1]!);
    expect(waits.at(-1)).toBeGreaterThan(4 * 60_000);
    expect(await itemStates()).toEqual(['refused']);
    const [message] = await valuesOf('batch_items', 'error_message', `batch_id = '${id}'`);
    expect(message).toMatch(/^The job could not be created: /);
    // The text of an unexpected error is not shown.
    expect(message).not.toContain('storage');
    await list.advance(Date.now() + HOUR_MS, working);
    expect(list.wakeAt()).toBeNull();
  });
});

it('counts failed steps anew after a step that succeeded', async () => {
  await withList(async (list) => {
    for (let round = 0; round < MAX_FAILURES; round++) {
      await list.advance(Date.now() + HOUR_MS, failing);
      await list.advance(Date.now() + HOUR_MS, { ...working, canCreate: false });
    }
    expect(await itemStates()).toEqual(['waiting']);
  });
});

it('does not mark the files of a batch that was cancelled in the meantime', async () => {
  await cancelBatch(ctx, id);
  await failWaitingItems(ctx, id, new Error('the storage is full'));
  expect(await itemStates()).toEqual(['waiting']);
});

it('leaves a batch alone while the intake is full, and continues as soon as the intake has room', async () => {
  await withList(async (list) => {
    const full = { ...working, canCreate: false };
    await list.advance(Date.now(), full);
    expect(list.wakeAt()).toBeGreaterThan(Date.now() + 5_000);
    await list.advance(Date.now(), full);
    expect(await jobs()).toEqual([]);
    await list.advance(Date.now(), working);
    expect(await jobs()).toHaveLength(1);
  });
});

it.each([
  ['a step', () => undefined],
  [
    'a step that fails for this reason',
    () => {
      throw new Error('no such table: announced');
    },
  ],
])('creates no table again if the project is deleted during %s', async (_, end) => {
  await withList(async (list, sql) => {
    const announce = () => {
      sql.exec('drop table batches');
      end();
    };
    await list.advance(Date.now(), { canCreate: true, announce });
    expect(sql.exec("select name from sqlite_master where name = 'batches'").toArray()).toEqual([]);
  });
});
