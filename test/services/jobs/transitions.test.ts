import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { createContext } from '#src/context/context.ts';
import type { JobStatus } from '#src/db/schema/index.ts';
import { ParseError } from '#src/documents/errors.ts';
import { toUtcDay } from '#src/lib/day.ts';
import { insertJobs } from '#src/services/jobs/create.ts';
import { type FinishedWork, type JobPages, runJob } from '#src/services/jobs/run-job.ts';
import { findJob, markRunning, settleJob } from '#src/services/jobs/transitions.ts';
import { buildUsageRow } from '#src/services/jobs/usage-row.ts';
import { getPageUsage } from '#src/services/limits/pages.ts';
import { insertJob, valuesOf } from '#test/support/inserted-rows.ts';
import { scopeOf } from '#test/support/scopes.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';

const ctx = createContext(env, { waitUntil() {} });
let tenant: Tenant;

beforeEach(async () => {
  tenant = await createTenant();
});

const insert = (status: JobStatus, attempt: number) =>
  insertJob('parse', tenant.projectId, { status, attempt, finishedAt: null });

const limit = (limits: object) =>
  env.DB.prepare('update projects set limits = ? where id = ?')
    .bind(JSON.stringify(limits), tenant.projectId)
    .run();

describe('the start of an attempt', () => {
  it.each<[string, JobStatus, number]>([
    ['an earlier attempt', 'RUNNING', 1],
    ['no attempt', 'PENDING', 0],
  ])('follows %s', async (_, status, attempt) => {
    const id = await insert(status, attempt);
    expect(await markRunning(ctx, 'parse', id, 2)).toMatchObject({ job: { id } });
    expect(await findJob(ctx, 'parse', id)).toMatchObject({ status: 'RUNNING', attempt: 2 });
  });

  it.each<[string, JobStatus, number]>([
    ['itself', 'RUNNING', 2],
    ['a later attempt', 'RUNNING', 3],
    ['the completion of the job', 'COMPLETED', 1],
    ['the failure of the job', 'FAILED', 1],
    ['the cancellation of the job', 'CANCELLED', 1],
  ])('does not follow %s', async (_, status, attempt) => {
    const id = await insert(status, attempt);
    expect(await markRunning(ctx, 'parse', id, 2)).toBeUndefined();
    expect(await findJob(ctx, 'parse', id)).toMatchObject({ status, attempt });
  });

  it('changes no other job', async () => {
    const [id, other] = [await insert('PENDING', 0), await insert('PENDING', 0)];
    await markRunning(ctx, 'parse', id, 1);
    expect(await findJob(ctx, 'parse', other)).toMatchObject({ status: 'PENDING', attempt: 0 });
  });
});

describe('the end of a job', () => {
  const complete = async (id: string, attempt: number) => {
    const job = (await findJob(ctx, 'parse', id))!;
    const rowsToInsert = [await buildUsageRow('parse', job, 3, 3)];
    return settleJob(ctx, 'parse', id, { status: 'COMPLETED', attempt, rowsToInsert });
  };
  const getUsage = (id: string) => valuesOf('usage_records', 'pages', `job_id = '${id}'`);

  it('is written by the current attempt, with its usage', async () => {
    const [id, other] = [await insert('RUNNING', 2), await insert('RUNNING', 2)];
    expect(await complete(id, 2)).toEqual({ settled: true, events: false });
    expect((await findJob(ctx, 'parse', id))?.status).toBe('COMPLETED');
    expect(await getUsage(id)).toEqual([3]);
    expect((await findJob(ctx, 'parse', other))?.status).toBe('RUNNING');
  });

  it('is not written by an earlier attempt, and no usage either', async () => {
    const id = await insert('RUNNING', 2);
    expect(await complete(id, 1)).toEqual({ settled: false, events: false });
    expect((await findJob(ctx, 'parse', id))?.status).toBe('RUNNING');
    expect(await getUsage(id)).toEqual([]);
  });

  it.each<JobStatus>(['FAILED', 'CANCELLED'])('stays %s, without usage', async (status) => {
    const id = await insert(status, 1);
    expect(await complete(id, 1)).toEqual({ settled: false, events: false });
    expect((await findJob(ctx, 'parse', id))?.status).toBe(status);
    expect(await getUsage(id)).toEqual([]);
  });

  it('stays COMPLETED if a failure is reported later', async () => {
    const id = await insert('COMPLETED', 1);
    const ending = { status: 'FAILED', errorMessage: 'The worker was lost.' } as const;
    expect((await settleJob(ctx, 'parse', id, ending)).settled).toBe(false);
    expect(await findJob(ctx, 'parse', id)).toMatchObject({ status: 'COMPLETED', errorMessage: null });
  });
});

describe('the pages that an attempt has taken from the daily limit', () => {
  const used = async () => (await getPageUsage(ctx, tenant.projectId)).used;

  /** Runs an attempt of a job without its owner. */
  async function attempt(id: string, perform: (pages: JobPages) => Promise<FinishedWork>): Promise<void> {
    const done = async () => undefined;
    const owner = {
      ...ctx.objects.jobState(id),
      claim: async () => ({ go: true, attempt: 1 }),
      heartbeat: async () => true,
      ...{ finish: done, release: done, fail: done, notify: done },
    };
    const objects = { ...ctx.objects, jobState: () => owner };
    await runJob({ ...ctx, objects }, 'parse', id, async (...[, , , pages]) => perform(pages));
  }

  it.each([
    ['fails for good', new ParseError('NO_DATA_FOUND_IN_FILE', 'The pages have no text.')],
    ['fails and is repeated', new Error('the parser is away')],
  ])('are returned if it %s', async (_, error) => {
    await limit({ pages_per_day: 10 });
    await attempt(await insert('PENDING', 0), async (pages) => {
      await pages.take(4);
      throw error;
    });
    expect(await used()).toBe(0);
  });

  it('are returned if the job was cancelled meanwhile', async () => {
    await limit({ pages_per_day: 10 });
    const id = await insert('PENDING', 0);
    await attempt(id, async (pages) => {
      await pages.take(4);
      await settleJob(ctx, 'parse', id, { status: 'CANCELLED' });
      return {};
    });
    expect(await used()).toBe(0);
  });

  it('are returned to its own project', async () => {
    const other = await createTenant();
    const day = toUtcDay(Date.now());
    await env.DB.prepare('insert into project_pages (project_id, day, pages) values (?, ?, 7)')
      .bind(other.projectId, day)
      .run();
    await limit({ pages_per_day: 10 });
    await attempt(await insert('PENDING', 0), async (pages) => {
      await pages.take(4);
      throw new Error('the parser is away');
    });
    expect(await valuesOf('project_pages', 'pages', `project_id = '${other.projectId}'`)).toEqual([7]);
  });

  it('are not taken by a job that finds none left', async () => {
    await limit({ pages_per_day: 3 });
    let refused: unknown;
    await attempt(await insert('PENDING', 0), async (pages) => {
      refused = await pages.take(4).catch((error: unknown) => error);
      throw new Error('too few pages');
    });
    expect(refused).toMatchObject({ limit: 'pages_per_day' });
    expect(await used()).toBe(0);
  });
});

describe('a group of jobs is created whole or not at all', () => {
  const rows = () =>
    [1, 2, 3].map((number) => ({
      id: `cls-${crypto.randomUUID()}`,
      ...{ fileInput: `file ${number}`, documentInputType: 'file_id', configuration: {} },
    }));
  const inputs = () => valuesOf('classify_jobs', 'file_input', `project_id = '${tenant.projectId}'`);

  it('within the limits of its project', async () => {
    await limit({ concurrent_jobs: 1, pages_per_day: 1 });
    await insertJobs(await scopeOf(tenant), 'classify', rows(), []);
    expect((await inputs()).toSorted()).toEqual(['file 1', 'file 2', 'file 3']);
  });

  it.each([
    ['concurrent_jobs', { concurrent_jobs: 0 }],
    ['pages_per_day', { pages_per_day: 0 }],
  ])('beyond the limit %s', async (name, limits) => {
    await limit(limits);
    const creating = insertJobs(await scopeOf(tenant), 'classify', rows(), []);
    await expect(creating).rejects.toMatchObject({ limit: name });
    expect(await inputs()).toEqual([]);
  });
});
