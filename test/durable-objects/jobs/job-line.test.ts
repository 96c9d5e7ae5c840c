import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { INTAKE_UPGRADES } from '#objects/job-intake.ts';
import { JobLine } from '#objects/jobs/job-line.ts';
import { upgradeStorage } from '#objects/storage-upgrades.ts';
import { parse } from '#queues/parse.ts';
import { createContext } from '#src/context/context.ts';
import type { Priority } from '#src/work/job-owner.ts';
import { createObjects } from '#src/work/objects.ts';
import { call, upload } from '#test/support/client.ts';
import { INVOICE, type JobBody, run, untilEnded } from '#test/support/jobs.ts';

const execution = { waitUntil() {}, passThroughOnException() {}, props: {} } as unknown as ExecutionContext;
const ctx = createContext(env, execution);

/** What a line in an object of its own says to these jobs, whose messages come in this order. */
function turns(jobs: [string, Priority][], messages: string[]): Promise<(string | undefined)[]> {
  const stub = env.JOB_INTAKE.get(env.JOB_INTAKE.idFromName(crypto.randomUUID()));
  return runInDurableObject(stub, (_instance, { storage }) => {
    upgradeStorage(storage, INTAKE_UPGRADES);
    const line = new JobLine(storage.sql);
    for (const [id, priority] of jobs) line.add(id, priority, Date.now());
    return messages.map((id) => line.take(id));
  });
}

const flood = Array.from({ length: 8 }, (_, n): [string, Priority] => [`low ${n}`, 'low']);
const names = (jobs: [string, Priority][]) => jobs.map(([id]) => id);

it('gives the turns to those that come first by priority, and among equals to the first', async () => {
  const late: [string, Priority][] = [
    ['medium', 'medium'],
    ['high', 'high'],
    ['critical', 'critical'],
  ];
  const jobs = [...flood, ...late];
  const served = await turns(jobs, names(jobs));
  expect(served.slice(0, 3)).toEqual(['critical', 'high', 'medium']);
  expect(served.slice(3)).toEqual(names(flood));
});

it('gives every job one turn, whatever order the messages come in', async () => {
  const jobs = [...flood, ['a', 'critical'], ['b', 'high'], ['c', 'critical']] as [string, Priority][];
  for (const order of [names(jobs).toReversed(), names(jobs).toSorted(), names(jobs)]) {
    expect((await turns(jobs, order)).toSorted()).toEqual(names(jobs).toSorted());
  }
});

it('gives every fourth turn to whoever waits longest', async () => {
  const urgent = Array.from({ length: 8 }, (_, n): [string, Priority] => [`critical ${n}`, 'critical']);
  const jobs: [string, Priority][] = [['low', 'low'], ...urgent];
  expect((await turns(jobs, names(jobs))).indexOf('low')).toBe(3);
});

it('leaves later attempts and messages that come twice to their own job', async () => {
  const jobs: [string, Priority][] = [
    ['low', 'low'],
    ['critical', 'critical'],
  ];
  const served = await turns(jobs, ['low', 'critical', 'critical', 'low', 'another']);
  expect(served).toEqual(['critical', 'low', 'critical', 'low', 'another']);
});

/** A parse job that waits: its owner has it, and no message is on its way. */
async function waiting(priority: Priority): Promise<{ id: string; projectId: string }> {
  const job = await run('parse', {
    file_id: await upload('invoice.md', INVOICE),
    configuration: { priority },
  });
  const id = `pjb-${crypto.randomUUID()}`;
  await env.DB.prepare("update parse_jobs set id = ?, status = 'PENDING', attempt = 0 where id = ?")
    .bind(id, job.id)
    .run();
  await createObjects(env).jobState(id).open({ kind: 'parse', jobId: id, timeoutMs: 60_000, attempts: 4 });
  return { id, projectId: job.project_id as string };
}

it('has a worker do a critical job with the message of one that came before it', async () => {
  const [low, critical] = [await waiting('low'), await waiting('critical')];
  const projectId = crypto.randomUUID();
  const stub = env.JOB_INTAKE.get(env.JOB_INTAKE.idFromName(projectId));
  await runInDurableObject(stub, (_instance, { storage }) => {
    upgradeStorage(storage, INTAKE_UPGRADES);
    const line = new JobLine(storage.sql);
    line.add(low.id, 'low', Date.now());
    line.add(critical.id, 'critical', Date.now());
  });
  const statuses = async () =>
    Promise.all(
      [low, critical].map(async ({ id }) => (await call<JobBody>('GET', `/api/v2/parse/${id}`)).body.status),
    );
  await parse(ctx, { type: 'parse', jobId: low.id, projectId });
  expect(await statuses()).toEqual(['PENDING', 'COMPLETED']);
  await parse(ctx, { type: 'parse', jobId: critical.id, projectId });
  expect(await statuses()).toEqual(['COMPLETED', 'COMPLETED']);
  expect((await untilEnded('parse', low.id)).attempt).toBe(1);
});

it('is given the priority and the place that a job was announced with', async () => {
  const projectId = crypto.randomUUID();
  const stub = env.JOB_INTAKE.get(env.JOB_INTAKE.idFromName(projectId));
  const jobs = [await waiting('low'), await waiting('critical'), await waiting('low')];
  const intake = createObjects(env).jobIntake(projectId);
  for (const { id } of jobs.toReversed()) await intake.announce('parse', id);
  const rows = await runInDurableObject(stub, async (instance, { storage }) => {
    storage.sql.exec('update announced set lookAt = rowid');
    await instance.alarm!();
    return storage.sql.exec('select jobId, rank from line order by place').toArray();
  });
  expect(rows).toEqual(
    [
      [jobs[2]!.id, 3],
      [jobs[1]!.id, 0],
      [jobs[0]!.id, 3],
    ].map(([jobId, rank]) => ({ jobId, rank })),
  );
  for (const { id } of jobs) expect((await untilEnded('parse', id)).status).toBe('COMPLETED');
});
