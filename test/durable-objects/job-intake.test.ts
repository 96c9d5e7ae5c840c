import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { createObjects } from '#src/work/objects.ts';
import { call, upload } from '#test/support/client.ts';
import { INVOICE, INVOICE_SCHEMA, type JobBody, run, untilEnded } from '#test/support/jobs.ts';

const FAR = 3_600_000;

/** Opens the intake of a project. Its alarm fires only when the test calls `ring`. */
function openIntake(projectId: string) {
  const intake = createObjects(env).jobIntake(projectId);
  const stub = env.JOB_INTAKE.get(env.JOB_INTAKE.idFromName(projectId));
  const rows = (change = 'select 1') =>
    runInDurableObject(stub, (_instance, { storage }) => {
      storage.sql.exec(change);
      storage.setAlarm(Date.now() + FAR);
      return storage.sql.exec('select jobId, announcedAt, lookAt from announced').toArray();
    });
  const ring = async () => {
    await rows('update announced set lookAt = 0');
    await runDurableObjectAlarm(stub);
  };
  return { intake, stub, rows, ring };
}

/** Creates a job whose process died right after recording it: PENDING, without an owner and a message. */
async function orphan(): Promise<string> {
  const file_input = await upload('invoice.md', INVOICE);
  const { id } = await run('extract', { file_input, configuration: { data_schema: INVOICE_SCHEMA } });
  const orphaned = `ext-${crypto.randomUUID()}`;
  await env.DB.prepare("update extract_jobs set id = ?, status = 'PENDING', attempt = 0 where id = ?")
    .bind(orphaned, id)
    .run();
  return orphaned;
}

it('hands a recorded job to its owner, and keeps no row of the job', async () => {
  const { intake, rows, ring } = openIntake(crypto.randomUUID());
  const id = await orphan();
  await intake.announce('extract', id);
  await ring();
  expect(await untilEnded('extract', id)).toMatchObject({ status: 'COMPLETED', attempt: 1 });
  expect(await rows()).toEqual([]);
});

it('waits for a job that is not recorded yet', async () => {
  const { intake, rows, ring } = openIntake(crypto.randomUUID());
  const id = await orphan();
  const hidden = `ext-${crypto.randomUUID()}`;
  const rename = (from: string, to: string) =>
    env.DB.prepare('update extract_jobs set id = ? where id = ?').bind(to, from).run();
  await rename(id, hidden);
  await intake.announce('extract', id);
  await ring();
  expect(await rows()).toMatchObject([{ jobId: id }]);
  await rename(hidden, id);
  await ring();
  expect((await untilEnded('extract', id)).status).toBe('COMPLETED');
});

it('checks less and less often for a job that is never recorded, and then forgets the job', async () => {
  const { intake, rows, ring, stub } = openIntake(crypto.randomUUID());
  await intake.announce('classify', `cls-${crypto.randomUUID()}`);
  await ring();
  const [fresh] = await rows();
  expect(Number(fresh?.lookAt)).toBeLessThan(Date.now() + 1000);
  const before = Date.now();
  await rows(`update announced set announcedAt = ${before - 60_000}`);
  await ring();
  const [old] = await rows();
  expect(Number(old?.lookAt)).toBeGreaterThan(before + 10_000);
  await rows(`update announced set announcedAt = ${Date.now() - 130_000}, lookAt = 0`);
  await runDurableObjectAlarm(stub);
  expect(await rows()).toEqual([]);
});

it('does not hand over a job that was cancelled', async () => {
  const { intake, rows, ring } = openIntake(crypto.randomUUID());
  const id = await orphan();
  await call('POST', `/api/v2/extract/${id}/cancel`);
  await intake.announce('extract', id);
  await ring();
  expect(await rows()).toEqual([]);
  expect(await createObjects(env).jobState(id).view()).toBeNull();
  expect((await call<JobBody>('GET', `/api/v2/extract/${id}`)).body.status).toBe('CANCELLED');
});

it('continues until all announced jobs have been checked', async () => {
  const { intake, rows, stub } = openIntake(crypto.randomUUID());
  const id = await orphan();
  const copies = Array.from({ length: 120 }, () => `ext-${crypto.randomUUID()}`);
  const columns = (await env.DB.prepare('select * from extract_jobs where id = ?').bind(id).first())!;
  const names = Object.keys(columns).filter((name) => name !== 'id' && name !== 'status');
  const copy = env.DB.prepare(
    `insert into extract_jobs (id, status, ${names}) select ?, 'COMPLETED', ${names} from extract_jobs where id = ?`,
  );
  await env.DB.batch(copies.map((each) => copy.bind(each, id)));
  for (const each of copies) await intake.announce('extract', each);
  await rows('update announced set lookAt = 0');
  await runDurableObjectAlarm(stub);
  expect(await rows()).toHaveLength(20);
  await runDurableObjectAlarm(stub);
  expect(await rows()).toEqual([]);
});

it('continues with jobs that release 0.1.0 announced if the alarm fires first', async () => {
  const id = await orphan();
  const stub = env.JOB_INTAKE.get(env.JOB_INTAKE.idFromName(crypto.randomUUID()));
  await runInDurableObject(stub, (_instance, { storage }) => {
    storage.sql.exec(`create table upgrade (number integer primary key); insert into upgrade values (0);
      create table announced (
        jobId text primary key, kind text not null, announcedAt integer not null, lookAt integer not null);
      create table line (
        place integer primary key autoincrement, jobId text not null unique, rank integer not null,
        queuedAt integer not null, isSent integer not null default 1, isServed integer not null default 0)`);
    const now = Date.now();
    storage.sql.exec("insert into announced values (?, 'extract', ?, 0)", id, now);
    storage.setAlarm(now + FAR);
  });
  await evictDurableObject(stub);
  await runDurableObjectAlarm(stub);
  expect((await untilEnded('extract', id)).status).toBe('COMPLETED');
});

it('hands over jobs before it clears the leftovers of deleted files', async () => {
  const projectId = crypto.randomUUID();
  const { intake, ring } = openIntake(projectId);
  const id = await orphan();
  await intake.announce('extract', id);
  // The project does not exist, so the object deletes its storage after the last leftover.
  await createObjects(env)
    .leftovers(projectId)
    .clearLater([{ prefix: `projects/${projectId}/`, at: [1] }]);
  await ring();
  expect((await untilEnded('extract', id)).status).toBe('COMPLETED');
});
