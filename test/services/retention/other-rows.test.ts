import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { keys } from '#src/bucket/keys.ts';
import { type Context, createContext } from '#src/context/context.ts';
import { openDatabase } from '#src/db/client.ts';
import {
  dailyActivity,
  modelUsage,
  parses,
  RETENTION_KINDS,
  type RetentionKind,
  usageRecords,
} from '#src/db/schema/index.ts';
import { DAY_MS } from '#src/lib/day.ts';
import { expireDeliveries, expireJobs } from '#src/services/retention/jobs.ts';
import { getRetentionDays } from '#src/services/retention/settings.ts';
import { expireParses, removeExpired } from '#src/services/retention/sweep.ts';
import { call } from '#test/support/client.ts';
import { keysUnder } from '#test/support/files.ts';
import {
  hasRow,
  insertDelivery,
  insertFile,
  insertJob,
  insertPipeline,
  insertProject,
  insertRun,
  valuesOf,
} from '#test/support/inserted-rows.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';

// What expires is deleted alone: nothing of another project, of another job, or of the retention period.

const db = openDatabase(env.DB);
const context = (bindings: Partial<typeof env> = {}): Context =>
  createContext({ ...env, ...bindings }, { waitUntil() {} });
const daysAgo = (days: number) => new Date(Date.now() - days * DAY_MS);
const later = () => Date.now() + 3_600_000;

let tenant: Tenant;
let projectId: string;
/** Another project of the same organization. */
let sibling: string;

beforeEach(async () => {
  tenant = await createTenant();
  projectId = tenant.projectId;
  sibling = await insertProject(tenant.organizationId);
});

const expired = (before = daysAgo(10)) => ({ projectId, before, cursor: undefined });
const over = { createdAt: daysAgo(20), updatedAt: daysAgo(20), finishedAt: daysAgo(20) };

describe('expired jobs', () => {
  it('take along their own deliveries and results, and those of no other job', async () => {
    const [old, young] = [await insertJob('extract', projectId, over), await insertJob('extract', projectId)];
    const deliveries = [await insertDelivery(projectId, old), await insertDelivery(projectId, young)];
    for (const id of [old, young]) await env.FILES.put(keys.jobResult(projectId, id), '{}');
    await expireJobs(context(), expired());
    const left = await Promise.all(deliveries.map((id) => hasRow('webhook_deliveries', id)));
    expect(left).toEqual([false, true]);
    expect(await keysUnder(keys.jobs(projectId))).toEqual([keys.jobResult(projectId, young)]);
  });

  it.each(['extract', 'classify', 'parse'] as const)('of kind %s are deleted 200 at a time', async (kind) => {
    const ids = Array.from({ length: 201 }, () => crypto.randomUUID());
    await env.DB.prepare(
      `insert into ${kind}_jobs (id, project_id, user_id, status, file_input, document_input_type, configuration,
         created_at, updated_at, finished_at)
       select value, ?1, 'somebody', 'FAILED', 'file', 'file_id', '{}', 1000, 1000, 1000 from json_each(?2)`,
    )
      .bind(projectId, JSON.stringify(ids))
      .run();
    expect(await expireJobs(context(), expired())).toEqual({ removed: 200, next: 'again' });
    expect(await expireJobs(context(), expired())).toEqual({ removed: 1, next: undefined });
  });
});

describe('expired deliveries', () => {
  it.each([
    ['were tried lately', { createdAt: daysAgo(20) }],
    ['are young', { updatedAt: daysAgo(20) }],
  ])('do not include those that %s', async (_, columns) => {
    const id = await insertDelivery(projectId, 'job', columns);
    expect(await expireDeliveries(context(), expired())).toEqual({ removed: 0, next: undefined });
    expect(await hasRow('webhook_deliveries', id)).toBe(true);
  });

  it('do not include those of another project', async () => {
    const times = { createdAt: daysAgo(20), updatedAt: daysAgo(20) };
    const [own, other] = [
      await insertDelivery(projectId, 'job', times),
      await insertDelivery(sibling, 'job', times),
    ];
    await expireDeliveries(context(), expired());
    expect(await hasRow('webhook_deliveries', own)).toBe(false);
    expect(await hasRow('webhook_deliveries', other)).toBe(true);
  });
});

describe('expired parses', () => {
  const [gone, held] = ['a'.repeat(64), 'b'.repeat(64)];
  const place = (owner: string, content: string) => `${keys.parsedFile(owner, content)}pages/c/summary.json`;

  it('take along their rows, and those of no other project or content', async () => {
    const all = [
      [projectId, gone],
      [projectId, held],
      [sibling, gone],
    ] as const;
    for (const [owner, contentHash] of all) {
      const row = { id: crypto.randomUUID(), projectId: owner, contentHash, configHash: 'c' };
      await db.insert(parses).values({ ...row, kind: 'text', pageCount: 1, metadata: {} });
      await env.FILES.put(place(owner, contentHash), '{}');
    }
    await insertJob('parse', projectId, { contentHash: held });
    await expireParses(context(), expired(new Date(later())));
    expect(await valuesOf('parses', 'content_hash', `project_id = '${projectId}'`)).toEqual([held]);
    expect(await valuesOf('parses', 'content_hash', `project_id = '${sibling}'`)).toEqual([gone]);
    expect(await keysUnder(keys.parses(projectId))).toEqual([place(projectId, held)]);
    expect(await keysUnder(keys.parses(sibling))).toEqual([place(sibling, gone)]);
  });

  it.each([
    ['a job', () => insertJob('parse', sibling, { contentHash: gone })],
    ['a used file', () => useFile(sibling)],
  ])('are not kept by %s of another project', async (_, use) => {
    await env.FILES.put(place(projectId, gone), '{}');
    await use();
    expect(await expireParses(context(), expired(new Date(later())))).toMatchObject({ removed: 1 });
    expect(await keysUnder(keys.parses(projectId))).toEqual([]);
  });

  async function useFile(owner: string) {
    const id = await insertFile(owner, { contentHash: gone });
    await insertJob('extract', owner, { fileId: id });
  }

  it('are kept if a later page of their objects contains a young one', async () => {
    const [old, young] = ['1', '2'].map((name) => `${keys.parsedFile(projectId, gone)}figures/${name}`);
    for (const key of [old!, young!]) await env.FILES.put(key, '{}');
    const FILES = new Proxy(env.FILES, {
      get(target, name) {
        const member = Reflect.get(target, name);
        if (name !== 'list') return typeof member === 'function' ? member.bind(target) : member;
        return async (options: R2ListOptions) => {
          if (options.delimiter) return target.list(options);
          const { objects, ...rest } = await target.list({ ...options, limit: 1 });
          const aged = objects.map(({ key, uploaded }) => ({
            key,
            uploaded: key === old ? new Date(0) : uploaded,
          }));
          return { ...rest, objects: aged };
        };
      },
    });
    await expireParses(context({ FILES }), expired());
    expect(await keysUnder(keys.parses(projectId))).toEqual([old, young]);
  });
});

describe('expired usage', () => {
  const keep = (days: number) =>
    env.DB.prepare('update projects set retention = ? where id = ?')
      .bind(JSON.stringify({ usage_days: days }), projectId)
      .run();
  const toDay = (date: Date) => date.toISOString().slice(0, 10);

  it('includes only old records of jobs, of this project', async () => {
    const insert = async (owner: string, jobId: string, createdAt: Date) => {
      const row = { id: crypto.randomUUID(), projectId: owner, product: 'parse', jobId, createdAt };
      await db.insert(usageRecords).values({ ...row, pages: 1, credits: 1 });
    };
    const names = ['old', 'young', 'other'].map((name) => `${name} ${projectId}`);
    await insert(projectId, names[0]!, daysAgo(20));
    await insert(projectId, names[1]!, daysAgo(5));
    await insert(sibling, names[2]!, daysAgo(20));
    await keep(10);
    await removeExpired(context(), undefined, later());
    const owners = `project_id in ('${projectId}', '${sibling}')`;
    expect((await valuesOf('usage_records', 'job_id', owners)).toSorted()).toEqual([names[2], names[1]]);
  });

  it('includes only days before the first day of the period, of this project', async () => {
    const [first, before] = [daysAgo(10), daysAgo(11)].map(toDay) as [string, string];
    const rows = [
      [projectId, before],
      [projectId, first],
      [sibling, before],
    ] as const;
    const counts = { calls: 1, failures: 0, inputTokens: 1, outputTokens: 1, estimated: 0, milliseconds: 1 };
    for (const [owner, day] of rows) {
      await db.insert(dailyActivity).values({ projectId: owner, day });
      await db.insert(modelUsage).values({ projectId: owner, day, use: 'chat', model: 'm', ...counts });
    }
    await keep(10);
    await removeExpired(context(), undefined, later());
    for (const table of ['daily_activity', 'model_usage']) {
      expect(await valuesOf(table, 'day', `project_id = '${projectId}'`)).toEqual([first]);
      expect(await valuesOf(table, 'day', `project_id = '${sibling}'`)).toEqual([before]);
    }
  });

  it('includes only sync runs that began and ended before the period, of this project', async () => {
    const [own, other] = [await insertPipeline(projectId), await insertPipeline(sibling)];
    const past = { startedAt: daysAgo(20), finishedAt: daysAgo(20) };
    const gone = await insertRun(own, 1, past);
    const kept = [
      await insertRun(own, 2, { ...past, finishedAt: new Date() }),
      await insertRun(own, 3, { ...past, finishedAt: null }),
      await insertRun(own, 4, { ...past, startedAt: new Date() }),
      await insertRun(own, 5, past),
      await insertRun(other, 1, past),
      await insertRun(other, 2, past),
    ];
    await keep(10);
    await removeExpired(context(), undefined, later());
    expect(await hasRow('sync_runs', gone)).toBe(false);
    expect(await Promise.all(kept.map((id) => hasRow('sync_runs', id)))).toEqual(kept.map(() => true));
  });

  it('includes the newest old run of a pipeline once it has a newer one, whatever other pipelines have', async () => {
    const [own, second] = [await insertPipeline(projectId), await insertPipeline(projectId)];
    const past = { startedAt: daysAgo(20), finishedAt: daysAgo(20) };
    const newest = await insertRun(own, 1, past);
    await insertRun(second, 2, past);
    await keep(10);
    await removeExpired(context(), undefined, later());
    expect(await hasRow('sync_runs', newest)).toBe(true);
    await insertRun(own, 2);
    await removeExpired(context(), undefined, later());
    expect(await hasRow('sync_runs', newest)).toBe(false);
  });
});

describe('a pass', () => {
  it('visits the projects of every page', async () => {
    const owners: string[] = [];
    for (let number = 0; number < 103; number++) {
      const id = await insertProject(tenant.organizationId, { retention: { files_days: 10 } });
      await insertFile(id, { createdAt: daysAgo(20), updatedAt: daysAgo(20) });
      owners.push(id);
    }
    expect(await removeExpired(context(), undefined, later())).toBeUndefined();
    const own = `project_id in (${owners.map((id) => `'${id}'`).join()})`;
    expect(await valuesOf('files', 'id', own)).toEqual([]);
  });
});

describe('a retention period', () => {
  const variables = {
    files: 'RETENTION_FILES_DAYS',
    parses: 'RETENTION_PARSES_DAYS',
    jobs: 'RETENTION_JOBS_DAYS',
    webhook_deliveries: 'RETENTION_WEBHOOK_DELIVERIES_DAYS',
    usage: 'RETENTION_USAGE_DAYS',
  } as const satisfies Record<RetentionKind, string>;

  it.each(RETENTION_KINDS)('of the installation for %s applies to these alone', (kind) => {
    const none = Object.fromEntries(Object.values(variables).map((name) => [name, undefined]));
    const settings = { ...context().settings, ...none, [variables[kind]]: 7 };
    const found = RETENTION_KINDS.map((each) => [each, getRetentionDays(settings, null, each)]);
    expect(found).toEqual(RETENTION_KINDS.map((each) => [each, each === kind ? 7 : undefined]));
  });

  it.each(RETENTION_KINDS)('of a project for %s applies to these alone', (kind) => {
    const found = RETENTION_KINDS.map((each) => [
      each,
      getRetentionDays({ ...context().settings }, { [`${kind}_days`]: 7 }, each),
    ]);
    expect(found).toEqual(RETENTION_KINDS.map((each) => [each, each === kind ? 7 : undefined]));
  });

  it('that a new project begins with is applied within a minute', async () => {
    const keeper = env.METRICS_KEEPER.get(env.METRICS_KEEPER.idFromName('installation'));
    await runInDurableObject(keeper, (_, { storage }) => storage.setAlarm(Date.now() + DAY_MS));
    const body = { name: 'New', retention: { jobs_days: 5 } };
    const made = await call('POST', '/api/v1/projects', { key: tenant.key, body });
    expect(made.status).toBe(200);
    const at = await runInDurableObject(keeper, (_, { storage }) => storage.getAlarm());
    expect(at! - Date.now()).toBeLessThanOrEqual(60_000);
  });
});
