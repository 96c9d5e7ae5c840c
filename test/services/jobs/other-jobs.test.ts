import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { keys } from '#src/bucket/keys.ts';
import { createContext, type TenantContext } from '#src/context/context.ts';
import type { JobStatus } from '#src/db/schema/index.ts';
import { getClassifyGroup, getClassifyGroupPage } from '#src/services/jobs/classification/classify-groups.ts';
import { eraseJobs } from '#src/services/jobs/erase.ts';
import { deleteJob, getJobPage, type JobFilter } from '#src/services/jobs/jobs.ts';
import { JOB_KINDS } from '#src/services/jobs/kinds.ts';
import { getJobUsage } from '#src/services/limits/jobs.ts';
import { call, upload } from '#test/support/client.ts';
import { keysUnder } from '#test/support/files.ts';
import { hasRow, insertDelivery, insertJob, insertProject } from '#test/support/inserted-rows.ts';
import type { JobBody } from '#test/support/jobs.ts';
import { scopeOf } from '#test/support/scopes.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';

// A statement about one job, or about the jobs of one project, affects no other.

const ctx = createContext(env, { waitUntil() {} });
let tenant: Tenant;
let projectId: string;
/** Another project of the same organization. */
let sibling: string;
let scope: TenantContext;

beforeEach(async () => {
  tenant = await createTenant();
  projectId = tenant.projectId;
  sibling = await insertProject(tenant.organizationId);
  scope = await scopeOf(tenant);
});

const open = { status: 'PENDING', finishedAt: null } as const;

describe('deleting a job', () => {
  it.each(JOB_KINDS)('deletes its row, result and deliveries, and those of no other %s job', async (kind) => {
    const [gone, kept] = [await insertJob(kind, projectId), await insertJob(kind, projectId)];
    const deliveries = [await insertDelivery(projectId, gone), await insertDelivery(projectId, kept)];
    for (const id of [gone, kept]) await env.FILES.put(keys.jobResult(projectId, id), '{}');
    await deleteJob(scope, kind, gone);
    expect(await Promise.all([gone, kept].map((id) => hasRow(`${kind}_jobs`, id)))).toEqual([false, true]);
    const left = await Promise.all(deliveries.map((id) => hasRow('webhook_deliveries', id)));
    expect(left).toEqual([false, true]);
    expect(await keysUnder(keys.jobs(projectId))).toEqual([keys.jobResult(projectId, kept)]);
  });
});

describe('erasing the jobs of a project', () => {
  it.each(JOB_KINDS)('deletes its open %s jobs, and no ended job or job of another project', async (kind) => {
    const gone = [
      await insertJob(kind, projectId, open),
      await insertJob(kind, projectId, { ...open, status: 'RUNNING' }),
    ];
    const kept = [await insertJob(kind, projectId), await insertJob(kind, sibling, open)];
    await eraseJobs(ctx, projectId);
    const rows = (ids: string[]) => Promise.all(ids.map((id) => hasRow(`${kind}_jobs`, id)));
    expect([await rows(gone), await rows(kept)]).toEqual([
      [false, false],
      [true, true],
    ]);
  });

  it('deletes its pending deliveries, and none of another project', async () => {
    const [gone, kept] = [
      await insertDelivery(projectId, 'its job', { status: 'pending' }),
      await insertDelivery(sibling, 'another job', { status: 'pending' }),
    ];
    await eraseJobs(ctx, projectId);
    expect(await hasRow('webhook_deliveries', gone)).toBe(false);
    expect(await hasRow('webhook_deliveries', kept)).toBe(true);
  });
});

describe('the list of jobs', () => {
  const moment = new Date('2026-02-03T04:05:06.007Z');
  const found = async (filter: JobFilter) =>
    (await getJobPage(scope, 'extract', filter)).items.map(({ id }) => id);

  it.each(['created_at_on_or_after', 'created_at_on_or_before'] as const)(
    'includes the moment of %s',
    async (name) => {
      const at = async (offset: number) =>
        insertJob('extract', projectId, { createdAt: new Date(moment.getTime() + offset) });
      const [before, same, after] = [await at(-1), await at(0), await at(1)];
      const beyond = name === 'created_at_on_or_after' ? [after, same] : [same, before];
      const filter: JobFilter = {};
      filter[name] = moment.toISOString();
      expect(await found(filter)).toEqual(beyond);
    },
  );

  it('contains only jobs with the wanted kind of input', async () => {
    const types = ['file_id', 'parse_job_id', 'url'] as const;
    const ids = new Map<string, string>();
    for (const documentInputType of types)
      ids.set(documentInputType, await insertJob('extract', projectId, { documentInputType }));
    for (const document_input_type of types)
      expect(await found({ document_input_type })).toEqual([ids.get(document_input_type)]);
  });

  it('contains only jobs with the wanted configuration, status and input', async () => {
    const configurationId = `cfg-${crypto.randomUUID()}`;
    const wanted = { configurationId, fileInput: 'one', status: 'FAILED' as JobStatus };
    const id = await insertJob('extract', projectId, wanted);
    await insertJob('extract', projectId, { ...wanted, configurationId: null });
    await insertJob('extract', projectId, { ...wanted, fileInput: 'two' });
    await insertJob('extract', projectId, { ...wanted, status: 'CANCELLED' });
    await insertJob('extract', sibling, wanted);
    const filter = { configuration_id: configurationId, file_input: 'one', status: 'FAILED' };
    expect(await found(filter)).toEqual([id]);
    expect((await getJobPage(scope, 'extract', filter)).total_size).toBe(1);
  });
});

describe('the number of open jobs', () => {
  const limit = (limits: object | null) =>
    env.DB.prepare('update projects set limits = ? where id = ?')
      .bind(limits && JSON.stringify(limits), projectId)
      .run();

  it('counts the open jobs of every kind, of this project', async () => {
    for (const kind of JOB_KINDS) {
      await insertJob(kind, projectId, open);
      await insertJob(kind, projectId, { ...open, status: 'RUNNING' });
      await insertJob(kind, projectId);
      await insertJob(kind, sibling, open);
    }
    expect(await getJobUsage(ctx, projectId)).toEqual({
      used: 2 * JOB_KINDS.length,
      waiting: 0,
      limit: null,
    });
  });

  it.each([
    [3, { used: 2, waiting: 0 }],
    [2, { used: 2, waiting: 0 }],
    [1, { used: 1, waiting: 1 }],
    [0, { used: 0, waiting: 2 }],
  ])('of two, with a limit of %i, is %j', async (concurrent_jobs, expected) => {
    await insertJob('parse', projectId, open);
    await insertJob('extract', projectId, open);
    await limit({ concurrent_jobs });
    expect(await getJobUsage(ctx, projectId)).toEqual({ ...expected, limit: concurrent_jobs });
  });
});

describe('a group of classify jobs', () => {
  const insertGroup = async (owner: string, statuses: JobStatus[]) => {
    const id = crypto.randomUUID();
    for (const [at, status] of statuses.entries()) {
      const job = await insertJob('classify', owner, at === 0 ? { id: `cls-${id}`, status } : { status });
      await env.DB.prepare('update classify_jobs set group_id = ? where id = ?').bind(id, job).run();
    }
    return id;
  };

  it('counts its own jobs only', async () => {
    const mixed = await insertGroup(projectId, ['COMPLETED', 'FAILED', 'FAILED']);
    const running = await insertGroup(projectId, ['RUNNING']);
    await insertJob('classify', projectId);
    await insertGroup(sibling, ['PENDING']);
    expect((await getClassifyGroup(scope, mixed)).counts).toEqual({ COMPLETED: 1, FAILED: 2 });
    expect((await getClassifyGroup(scope, running)).counts).toEqual({ RUNNING: 1 });
    const page = await getClassifyGroupPage(scope, {});
    expect(page.items.map(({ id }) => id).toSorted()).toEqual([mixed, running].toSorted());
  });
});

describe('an Idempotency-Key', () => {
  const create = async ({ key }: Tenant, kind: 'parse' | 'classify', idempotency: string, query = '') => {
    const file = await upload('a.txt', 'A text.', { key, query });
    const rules = [{ type: 'note', description: 'A short note about any subject at all.' }];
    const body = kind === 'parse' ? { file_id: file } : { file_input: file, configuration: { rules } };
    const headers = { 'idempotency-key': idempotency };
    const answer = await call<JobBody>('POST', `/api/v2/${kind}${query}`, { key, body, headers });
    expect(answer.status).toBe(200);
    return answer.body;
  };

  it('names a job of its project only', async () => {
    const [other, idempotency] = [await createTenant(), crypto.randomUUID()];
    const mine = await create(tenant, 'parse', idempotency);
    const inSibling = await create(tenant, 'parse', idempotency, `?project_id=${sibling}`);
    const theirs = await create(other, 'parse', idempotency);
    expect(new Set([mine.id, inSibling.id, theirs.id]).size).toBe(3);
    expect([mine, inSibling, theirs].map((job) => job.project_id)).toEqual([
      projectId,
      sibling,
      other.projectId,
    ]);
  });

  it('names a job of its kind only', async () => {
    const idempotency = crypto.randomUUID();
    const [parse, classify] = [
      await create(tenant, 'parse', idempotency),
      await create(tenant, 'classify', idempotency),
    ];
    expect(parse.id.slice(4)).not.toBe(classify.id.slice(4));
  });
});
