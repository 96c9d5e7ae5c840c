import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { INTAKE_UPGRADES } from '#objects/job-intake.ts';
import { QueuedJobs } from '#objects/jobs/queued-jobs.ts';
import { upgradeStorage } from '#objects/storage-upgrades.ts';
import { parse } from '#queues/parse.ts';
import { createContext } from '#src/context/context.ts';
import type { Priority } from '#src/work/job-owner.ts';
import { createObjects } from '#src/work/objects.ts';
import { call, upload } from '#test/support/client.ts';
import { INVOICE, type JobBody, run, untilEnded } from '#test/support/jobs.ts';

const execution = { waitUntil() {}, passThroughOnException() {}, props: {} } as unknown as ExecutionContext;
const ctx = createContext(env, execution);

/** Queues the jobs and returns the job that each message runs, in the order of the messages. */
function turns(jobs: [string, Priority][], messages: string[]): Promise<(string | undefined)[]> {
  const stub = env.JOB_INTAKE.get(env.JOB_INTAKE.idFromName(crypto.randomUUID()));
  return runInDurableObject(stub, (_instance, { storage }) => {
    upgradeStorage(storage, INTAKE_UPGRADES);
    const line = new QueuedJobs(storage.sql);
    for (const [id, priority] of jobs) line.add(id, priority, Date.now());
    return messages.map((id) => line.take(id));
  });
}

const flood = Array.from({ length: 8 }, (_, n): [string, Priority] => [`low ${n}`, 'low']);
const names = (jobs: [string, Priority][]) => jobs.map(([id]) => id);

it('serves jobs by priority, and jobs of equal priority in order', async () => {
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

it('serves every job once, in whatever order the messages arrive', async () => {
  const jobs = [...flood, ['a', 'critical'], ['b', 'high'], ['c', 'critical']] as [string, Priority][];
  for (const order of [names(jobs).toReversed(), names(jobs).toSorted(), names(jobs)]) {
    expect((await turns(jobs, order)).toSorted()).toEqual(names(jobs).toSorted());
  }
});

it('gives every fourth turn to the job that has waited longest', async () => {
  const urgent = Array.from({ length: 8 }, (_, n): [string, Priority] => [`critical ${n}`, 'critical']);
  const jobs: [string, Priority][] = [['low', 'low'], ...urgent];
  expect((await turns(jobs, names(jobs))).indexOf('low')).toBe(3);
});

it('runs a job’s own message for later attempts and for duplicate messages', async () => {
  const jobs: [string, Priority][] = [
    ['low', 'low'],
    ['critical', 'critical'],
  ];
  const served = await turns(jobs, ['low', 'critical', 'critical', 'low', 'another']);
  expect(served).toEqual(['critical', 'low', 'critical', 'low', 'another']);
});

/** Creates a waiting parse job that has an owner but no queued message. */
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

it('runs a critical job with the message of an earlier job', async () => {
  const [low, critical] = [await waiting('low'), await waiting('critical')];
  const projectId = crypto.randomUUID();
  const stub = env.JOB_INTAKE.get(env.JOB_INTAKE.idFromName(projectId));
  await runInDurableObject(stub, (_instance, { storage }) => {
    upgradeStorage(storage, INTAKE_UPGRADES);
    const line = new QueuedJobs(storage.sql);
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

it('queues each job with the priority and the position of its announcement', async () => {
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
