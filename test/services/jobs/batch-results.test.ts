import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { keys } from '#src/bucket/keys.ts';
import { type Context, createContext, type TenantContext } from '#src/context/context.ts';
import { openDatabase } from '#src/db/client.ts';
import type { Batch } from '#src/db/schema/index.ts';
import { countBatches, getBatchPage } from '#src/services/jobs/batches/batches.ts';
import { createBatch } from '#src/services/jobs/batches/new-batch.ts';
import { iterateResults } from '#src/services/jobs/batches/results.ts';
import { iterateExamples } from '#src/services/jobs/reviews/examples.ts';
import { EXTRACTION } from '#test/support/batches.ts';
import { insertFile } from '#test/support/inserted-rows.ts';
import { countingDatabase } from '#test/support/meanwhile.ts';
import { scopeOf } from '#test/support/scopes.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';
import { toldDatabase } from '#test/support/told-database.ts';

const FILES = 60;

let tenant: Tenant;
let ctx: TenantContext;
let batch: Batch;

/** Creates a batch whose jobs have completed. Every second result is stored in the bucket. */
beforeEach(async () => {
  tenant = await createTenant();
  const plain = createContext(env, { waitUntil() {} });
  const quietIntake = { advanceBatch: async () => undefined };
  const objects = { ...plain.objects, jobIntake: () => quietIntake };
  ctx = await scopeOf(tenant, {}, { ...plain, objects } as unknown as Context);
  const file_ids = await Promise.all(
    Array.from({ length: FILES }, () => insertFile(tenant.projectId, { storageKey: 'stored' })),
  );
  batch = await createBatch(ctx, { job_type: 'extract', configuration: EXTRACTION, file_ids });
  await env.DB.batch([
    env.DB.prepare(
      `insert into extract_jobs (id, project_id, user_id, status, file_input, document_input_type, file_id,
         configuration, configuration_id, batch_id, result, result_metadata, created_at, updated_at)
       select job_id, project_id, 'somebody', 'COMPLETED', file_id, 'file_id', file_id, '{}', 'cfg-1', batch_id,
         iif(position % 2, null, json_object('total_due', position)), iif(position % 2, null, '{}'), 0, 0
       from batch_items where batch_id = ?`,
    ).bind(batch.id),
    env.DB.prepare("update batch_items set state = 'created' where batch_id = ?").bind(batch.id),
    env.DB.prepare(
      `insert into extract_reviews (id, project_id, job_id, revision, is_approved, corrections, user_id, created_at)
       select job_id, project_id, job_id, 1, true, json_object('/total_due', position * 100), 'somebody', position
       from batch_items where batch_id = ?`,
    ).bind(batch.id),
  ]);
  const { results } = await env.DB.prepare(
    'select job_id, position from batch_items where batch_id = ? and position % 2',
  )
    .bind(batch.id)
    .all<{ job_id: string; position: number }>();
  for (const { job_id, position } of results) {
    const stored = { result: { total_due: position }, metadata: {} };
    await env.FILES.put(keys.jobResult(tenant.projectId, job_id), JSON.stringify(stored));
  }
});

const positions = Array.from({ length: FILES }, (_, position) => position);

it('exports all results in the order of the files with few queries', async () => {
  const counts = countingDatabase();
  const counted = { ...ctx, db: openDatabase(counts.DB) };
  const read = async (values: 'extracted' | 'reviewed') => {
    const text = (await Array.fromAsync(iterateResults(counted, batch, { format: 'jsonl', values }))).join(
      '',
    );
    const lines = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    return lines.map(({ result }) => result.total_due);
  };
  expect(await read('extracted')).toEqual(positions);
  expect(counts.statements).toBeLessThan(FILES / 5);
  expect(await read('reviewed')).toEqual(positions.map((position) => position * 100));
});

it('exports approved examples, newest first, with few queries', async () => {
  const counts = countingDatabase();
  const examples = iterateExamples({ ...ctx, db: openDatabase(counts.DB) }, '1');
  const found = (await Array.fromAsync(examples)).map(({ values }) => values);
  const corrected = positions.toReversed().map((position) => ({ total_due: position * 100 }));
  expect(found).toEqual(corrected);
  expect(counts.statements).toBeLessThan(FILES / 5);
});

describe('results in the bucket', () => {
  /** Reads all results, whose stored objects have this size, and returns the largest number that was read at once. */
  async function readAll(size: number) {
    const most = { open: 0, read: 0 };
    const now = { open: 0, read: 0 };
    const begin = (kind: 'open' | 'read') => {
      now[kind] += 1;
      most[kind] = Math.max(most[kind], now[kind]);
    };
    const get = async (key: string) => {
      begin('open');
      const object = (await env.FILES.get(key))!;
      const json = async () => {
        begin('read');
        const value = await object.json();
        now.read -= 1;
        now.open -= 1;
        return value;
      };
      const cancel = async () => {
        now.open -= 1;
        await object.body.cancel();
      };
      return { size, json, body: { cancel } };
    };
    const counted = { ...ctx, bucket: { get } as unknown as TenantContext['bucket'] };
    const lines = await Array.fromAsync(
      iterateResults(counted, batch, { format: 'jsonl', values: 'extracted' }),
    );
    const examples = await Array.fromAsync(iterateExamples(counted, '1'));
    expect(lines.map((line) => JSON.parse(line).result.total_due)).toEqual(positions);
    expect(examples.map(({ job_id }) => job_id)).toEqual(
      lines.map((line) => JSON.parse(line).job_id).toReversed(),
    );
    return most;
  }

  it('are read a few at a time, in the order of the files', async () => {
    const most = await readAll(1_000);
    expect(most.open).toBeGreaterThan(1);
    expect(most.open).toBeLessThanOrEqual(6);
  });

  it('are read one at a time if they are large', async () => {
    const most = await readAll(3 * 1024 * 1024);
    expect(most.read).toBe(1);
  });
});

it('counts files by status and by review, and reads no files for this', async () => {
  await env.DB.prepare("update extract_jobs set status = 'FAILED' where batch_id = ? and result is null")
    .bind(batch.id)
    .run();
  await env.DB.prepare(
    `update extract_reviews set is_approved = false, corrections = iif(created_at < 20, '{}', corrections)
     where project_id = ? and created_at < 30`,
  )
    .bind(tenant.projectId)
    .run();
  const review = { none: 20, corrected: 10, approved: 30 };
  const counts = { status: { COMPLETED: 30, FAILED: 30 }, review };
  expect(await countBatches(ctx, [batch])).toMatchObject([{ status: 'COMPLETED', counts }]);
  const { DB, statements } = toldDatabase();
  await getBatchPage({ ...ctx, db: openDatabase(DB) }, {});
  expect(statements.length).toBeGreaterThan(0);
  expect(statements.join()).not.toMatch(/\bfiles\b/);
});
