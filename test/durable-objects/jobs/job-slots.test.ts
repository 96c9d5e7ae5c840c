import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it, vi } from 'vitest';
import type { JobIntake } from '#objects/job-intake.ts';
import { createObjects } from '#src/work/objects.ts';
import { call, upload } from '#test/support/client.ts';
import { createJob, INVOICE, INVOICE_SCHEMA, run, untilEnded } from '#test/support/jobs.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';

const FAR = 3_600_000;

async function limited(concurrent_jobs: number | null): Promise<Tenant> {
  const tenant = await createTenant();
  const body = { name: 'Default', limits: { concurrent_jobs } };
  await call('PUT', `/api/v1/projects/${tenant.projectId}`, { key: tenant.key, body });
  return tenant;
}

/** Opens the project's intake. Its alarm fires only when the test calls `ring`. */
function openIntake({ projectId }: Tenant) {
  const stub = env.JOB_INTAKE.get(env.JOB_INTAKE.idFromName(projectId));
  const ask = (sql: string, ...values: string[]) =>
    runInDurableObject(stub, (_instance, { storage }) => storage.sql.exec(sql, ...values).toArray());
  const ring = async () => {
    await runInDurableObject(stub, (_instance, { storage }) => storage.setAlarm(Date.now() + FAR));
    await ask('update announced set lookAt = 0 where not waits');
    await runDurableObjectAlarm(stub);
  };
  return { intake: createObjects(env).jobIntake(projectId), stub, ask, ring };
}

const extraction = async ({ key }: Tenant) => ({
  file_input: await upload('invoice.md', INVOICE, { key }),
  configuration: { data_schema: INVOICE_SCHEMA },
});

/** Creates recorded jobs that have not been announced. */
async function orphans(tenant: Tenant, count: number): Promise<string[]> {
  const { id } = await run('extract', await extraction(tenant), tenant.key);
  const columns = (await env.DB.prepare('select * from extract_jobs where id = ?').bind(id).first())!;
  const names = Object.keys(columns).filter((name) => !['id', 'status', 'attempt'].includes(name));
  const copy = env.DB.prepare(
    `insert into extract_jobs (id, status, attempt, ${names}) select ?, 'PENDING', 0, ${names} from extract_jobs where id = ?`,
  );
  const ids = Array.from({ length: count }, () => `ext-${crypto.randomUUID()}`);
  await env.DB.batch(ids.map((each) => copy.bind(each, id)));
  return ids;
}

const setStatus = (id: string, status: string) =>
  env.DB.prepare('update extract_jobs set status = ? where id = ?').bind(status, id).run();

/**
 * Creates a project whose only slot is taken by a job that never ends, and a second job that waits. `more` is
 * the number of further jobs that are not announced.
 */
async function withOneWaiting(more = 0) {
  const tenant = await limited(1);
  const { intake, ask, ring } = openIntake(tenant);
  const [first, second, ...others] = (await orphans(tenant, 2 + more)) as [string, string, ...string[]];
  await ring();
  await ask("insert into working (jobId, kind) values (?, 'extract')", first);
  await intake.announce('extract', second);
  await ring();
  return { tenant, intake, ask, ring, first, second, others };
}

it('holds a job back while the project runs as many jobs as its limit allows', async () => {
  const { intake, ask, ring, second } = await withOneWaiting();
  await ring();
  expect(await intake.waits(second)).toBe(true);
  expect(await createObjects(env).jobState(second).view()).toBeNull();
  expect(await ask('select jobId from announced')).toEqual([{ jobId: second }]);
});

it('continues with the next job when a job reports its end', async () => {
  const { tenant, intake, ask, ring, first, second } = await withOneWaiting();
  await intake.ended(first);
  await ring();
  expect((await untilEnded('extract', second, tenant.key)).status).toBe('COMPLETED');
  await vi.waitFor(async () => expect(await ask('select * from working')).toEqual([]), {
    timeout: PATIENCE_MS,
  });
  expect(await intake.waits(second)).toBe(false);
});

it('continues with the job of the highest priority', async () => {
  const { intake, ask, ring, first, second } = await withOneWaiting();
  const other = `ext-${crypto.randomUUID()}`;
  await ask(
    `insert into announced (jobId, kind, announcedAt, lookAt, waits, rank)
     values (?, 'extract', ${Date.now()}, ${Number.MAX_SAFE_INTEGER}, 1, 0)`,
    other,
  );
  await intake.ended(first);
  const due = await ask('select jobId from announced where lookAt = 0');
  expect([due, await intake.waits(second)]).toEqual([[{ jobId: other }], true]);
  await ring();
});

it('detects by itself that a job has ended without a report', async () => {
  const { tenant, ring, first, second } = await withOneWaiting();
  await setStatus(first, 'COMPLETED');
  await ring();
  expect((await untilEnded('extract', second, tenant.key)).status).toBe('COMPLETED');
});

it('checks a waiting job again within ten minutes', async () => {
  const { ask } = await withOneWaiting();
  const [{ lookAt } = { lookAt: 0 }] = await ask('select lookAt from announced where waits');
  expect(Number(lookAt)).toBeLessThanOrEqual(Date.now() + 600_000);
});

it('gives slots from a raised limit to waiting jobs before new jobs', async () => {
  const { tenant, intake, ring, second, others } = await withOneWaiting(1);
  const third = others[0]!;
  // Checks the waiting jobs just before the new job arrives.
  await ring();
  const body = { name: 'Default', limits: { concurrent_jobs: 2 } };
  await call('PUT', `/api/v1/projects/${tenant.projectId}`, { key: tenant.key, body });
  await intake.announce('extract', third);
  await ring();
  for (const id of [third, second])
    expect((await untilEnded('extract', id, tenant.key)).status).toBe('COMPLETED');
  const { results } = await env.DB.prepare(
    'select id from extract_jobs where id in (?, ?) order by finished_at',
  )
    .bind(second, third)
    .all();
  expect(results).toEqual([{ id: second }, { id: third }]);
});

it('fills every free slot, each fourth one with the job that has waited longest', async () => {
  const tenant = await limited(8);
  const { intake, ask, ring, stub } = openIntake(tenant);
  const [oldest, ...working] = (await orphans(tenant, 9)) as [string, ...string[]];
  await ring();
  for (const id of working) await ask("insert into working (jobId, kind) values (?, 'extract')", id);
  await intake.announce('extract', oldest);
  await ring();
  const urgent = Array.from({ length: 6 }, () => `ext-${crypto.randomUUID()}`);
  await ask(
    `insert into announced (jobId, kind, announcedAt, lookAt, waits, rank)
     select value, 'extract', ${Date.now()}, ${Date.now() + FAR}, 1, 0 from json_each(?)`,
    JSON.stringify(urgent),
  );
  const letIn: string[][] = await runInDurableObject(stub, async (instance: JobIntake, { storage }) => {
    const due = () => storage.sql.exec<{ jobId: string }>('select jobId from announced where lookAt = 0');
    storage.sql.exec(`update announced set lookAt = ${Date.now() + FAR}`);
    await instance.ended(working[0]!);
    const one = due().toArray();
    for (const id of working.slice(1, 4)) await instance.ended(id);
    return [one, due().toArray()].map((rows) => rows.map(({ jobId }) => jobId));
  });
  expect(letIn.map(({ length }) => length)).toEqual([1, 4]);
  expect(letIn[1]).toContain(oldest);
  await ring();
});

it('skips jobs that were cancelled or deleted while they waited', async () => {
  const { tenant, intake, ask, ring, first, second, others: over } = await withOneWaiting(24);
  for (const id of over.slice(0, 12)) await setStatus(id, 'CANCELLED');
  for (const id of over.slice(12))
    await env.DB.prepare('delete from extract_jobs where id = ?').bind(id).run();
  await ask(
    `insert into announced (jobId, kind, announcedAt, lookAt, waits, rank)
     select value, 'extract', ${Date.now() - 60_000}, ${Date.now() + FAR}, 1, 0 from json_each(?)`,
    JSON.stringify(over),
  );
  await intake.ended(first);
  await ring();
  const [{ n } = { n: 0 }] = await ask('select count(*) as n from announced');
  expect(Number(n)).toBeLessThanOrEqual(16);
  expect((await untilEnded('extract', second, tenant.key)).status).toBe('COMPLETED');
});

it('continues with the other jobs after it could not read which jobs have ended', async () => {
  const { tenant, ask, ring, second } = await withOneWaiting();
  await ask("update working set kind = 'of another release'");
  await ring();
  await ask('delete from working');
  await ring();
  expect((await untilEnded('extract', second, tenant.key)).status).toBe('COMPLETED');
});

it('runs all jobs of a project, a few at a time, and gives no slot to a cancelled job', async () => {
  const tenant = await limited(2);
  const { key } = tenant;
  const body = await extraction(tenant);
  const jobs = await Promise.all(Array.from({ length: 8 }, () => createJob('extract', body, key)));
  const last = jobs.at(-1)!;
  await call('POST', `/api/v2/extract/${last.id}/cancel`, { key });
  for (const { id } of jobs.slice(0, -1)) {
    expect((await untilEnded('extract', id, key)).status).toMatch(/COMPLETED/);
  }
  const { body: usage } = await call<{ limits: Record<string, object> }>('GET', '/api/v1/usage', { key });
  expect(usage.limits.concurrent_jobs).toEqual({ used: 0, waiting: 0, limit: 2 });
});

it('rejects a job with 402 if the limit is 0', async () => {
  const tenant = await limited(0);
  const refused = await call<{ limit: string }>('POST', '/api/v2/extract', {
    key: tenant.key,
    body: await extraction(tenant),
  });
  expect(refused).toMatchObject({ status: 402, body: { limit: 'concurrent_jobs' } });
});

it('sends only part of the jobs of a project without a limit to the queues at once, and runs them all', async () => {
  const tenant = await limited(null);
  const { intake, ask, ring } = openIntake(tenant);
  const ids = await orphans(tenant, 90);
  await ring();
  await ask(
    `insert into announced (jobId, kind, announcedAt, lookAt)
     select value, 'extract', ${Date.now()}, ${Date.now() + FAR} from json_each(?)`,
    JSON.stringify(ids),
  );
  await ring();
  const [{ working } = { working: 0 }] = await ask('select count(*) as working from working');
  expect(Number(working)).toBeLessThanOrEqual(40);
  await ring();
  expect(await ask('select count(*) as n from announced where waits')).not.toEqual([{ n: 0 }]);
  await intake.ended('none');
  for (const id of ids) expect((await untilEnded('extract', id, tenant.key)).status).toBe('COMPLETED');
});
