import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { openDatabase } from '#src/db/client.ts';
import { deleteInBatches } from '#src/db/ownership/delete-in-batches.ts';
import { createFixtures } from '#test/suites/operation-inputs.ts';
import { createTenant } from '#test/support/tenants.ts';
import { toldDatabase } from '#test/support/told-database.ts';

async function count(table: string, where: string, value: string): Promise<number> {
  const found = env.DB.prepare(`select count(*) as n from ${table} where ${where} = ?`).bind(value);
  return (await found.first<number>('n'))!;
}

/** More rows than one statement deletes. */
const RECORDS = 5_001;

const addRecords = (projectId: string, records: number) =>
  env.DB.prepare(
    `with recursive record(n) as (select 1 union all select n + 1 from record where n < ?2)
     insert into usage_records (id, project_id, product, job_id, pages, credits)
     select ?1 || '-' || n, ?1, 'parse', ?1 || '-' || n, 1, 1 from record`,
  )
    .bind(projectId, records)
    .run();

it('deletes the rows of the owner from tables that are deleted in batches, and leaves other rows', async () => {
  const [tenant, other] = [await createTenant(), await createTenant()];
  await addRecords(tenant.projectId, RECORDS);
  await addRecords(other.projectId, 1);
  await createFixtures(tenant).retriever();
  await deleteInBatches(openDatabase(env.DB), 'projects', tenant.projectId);
  expect(await count('usage_records', 'project_id', tenant.projectId)).toBe(0);
  expect(await count('usage_records', 'project_id', other.projectId)).toBe(1);
  expect(await count('retrievers', 'project_id', tenant.projectId)).toBe(1);
  expect(await count('projects', 'id', tenant.projectId)).toBe(1);
});

it('deletes batches, their files and reviews before the row of the project', async () => {
  const tenant = await createTenant();
  const make = createFixtures(tenant);
  await make.batch();
  for (const kind of ['extract', 'classify'] as const) {
    const { job_id } = await make.endedJob(kind);
    const corrections = kind === 'extract' ? {} : null;
    await make.create('PUT', `/api/v2/${kind}/${job_id}/review`, {
      revision: 0,
      approved: true,
      corrections,
    });
  }
  const tables = ['batches', 'batch_items', 'extract_reviews', 'classify_reviews'];
  const countAll = () => Promise.all(tables.map((table) => count(table, 'project_id', tenant.projectId)));
  expect(await countAll()).toEqual([1, 1, 1, 1]);
  const { DB, statements } = toldDatabase();
  await deleteInBatches(openDatabase(DB), 'projects', tenant.projectId);
  expect(await countAll()).toEqual([0, 0, 0, 0]);
  // Otherwise the statement that deletes jobs would also delete all of their reviews.
  const position = (table: string) =>
    statements.findIndex((each) => each.startsWith(`delete from ${table} `));
  for (const kind of ['extract', 'classify']) {
    expect(position(`${kind}_reviews`)).toBeGreaterThanOrEqual(0);
    expect(position(`${kind}_reviews`)).toBeLessThan(position(`${kind}_jobs`));
  }
});

it('deletes rows that belong to the owner through another table', async () => {
  const tenant = await createTenant();
  const make = createFixtures(tenant);
  const [asked, other] = [await make.retriever(), await make.retriever()];
  const say = (retriever: string) =>
    env.DB.batch([
      env.DB.prepare(
        `insert into chat_sessions (id, retriever_id, user_id, llm_params_id, retrieval_params_id)
         values (?1, ?1, ?2, '', '')`,
      ).bind(retriever, tenant.userId),
      env.DB.prepare(
        `insert into chat_messages (id, session_id, position, role) values (?1, ?1, 0, 'user')`,
      ).bind(retriever),
    ]);
  await say(asked);
  await say(other);
  await deleteInBatches(openDatabase(env.DB), 'retrievers', asked);
  expect(await count('chat_messages', 'session_id', asked)).toBe(0);
  expect(await count('chat_messages', 'session_id', other)).toBe(1);
  expect(await count('chat_sessions', 'id', asked)).toBe(1);
});
