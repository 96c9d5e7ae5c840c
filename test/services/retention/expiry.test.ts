import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { keys } from '#src/bucket/keys.ts';
import { type Context, createContext } from '#src/context/context.ts';
import type { Retention } from '#src/db/schema/index.ts';
import { DAY_MS } from '#src/lib/day.ts';
import { takePending } from '#src/metrics/meter.ts';
import { expireFiles } from '#src/services/retention/files.ts';
import { expireParses, removeExpired, type SweepPosition } from '#src/services/retention/sweep.ts';
import { createFixtures } from '#test/suites/operation-inputs.ts';
import { age } from '#test/support/aged-rows.ts';
import { call } from '#test/support/client.ts';
import { untilEnded } from '#test/support/jobs.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';

const context = (settings: Partial<Context['settings']> = {}): Context => {
  const ctx = createContext(env, { waitUntil() {} });
  return { ...ctx, settings: { ...ctx.settings, ...settings } };
};

const AN_HOUR = 3_600_000;
const later = () => Date.now() + AN_HOUR;

async function keep({ key, projectId }: Tenant, retention: Retention): Promise<void> {
  const body = { name: 'Default', retention };
  const answer = await call('PUT', `/api/v1/projects/${projectId}`, { key, body });
  expect(answer.status).toBe(200);
}

const found = async (key: string, path: string) => (await call('GET', path, { key })).status;

describe('expiry', () => {
  let tenant: Tenant;
  let make: ReturnType<typeof createFixtures>;
  beforeAll(async () => {
    tenant = await createTenant();
    make = createFixtures(tenant);
  });

  it('deletes unused files with their bytes and rows, as a deletion does', async () => {
    const { key, projectId } = tenant;
    const [loose, held, young] = [await make.file(), await make.pipelineFile(), await make.file()];
    const { job_id } = await make.completedParse();
    const { body: job } = await call<{ file_id: string }>('GET', `/api/v2/parse/${job_id}`, { key });
    await keep(tenant, { files_days: 10 });
    await age('files', projectId, 11);
    const now = Date.now();
    await env.DB.prepare('update files set updated_at = ? where id = ?').bind(now, young).run();
    takePending();
    expect(await removeExpired(context(), undefined, later())).toBeUndefined();
    expect(await found(key, `/api/v1/files/${loose}`)).toBe(404);
    for (const id of [held.file_id, young, job.file_id])
      expect(await found(key, `/api/v1/files/${id}`)).toBe(200);
    const left = await env.FILES.list({ prefix: keys.uploads(projectId, loose) });
    expect(left.objects).toEqual([]);
    const counted = takePending().filter(({ name }) => name === 'sluice_expired_total');
    expect(counted).toEqual([{ name: 'sluice_expired_total', labels: ['files'], values: [1] }]);
  });

  it('deletes ended jobs with results and deliveries, but not open jobs or jobs that an open job uses', async () => {
    const { key, projectId } = tenant;
    const [parse, read] = [await make.completedParse(), await make.completedParse()];
    const extract = await make.job('extract');
    await untilEnded('extract', extract.job_id, key);
    const open = await make.job('classify');
    await untilEnded('classify', open.job_id, key);
    await keep(tenant, { files_days: null, jobs_days: 10 });
    for (const table of ['parse_jobs', 'extract_jobs', 'classify_jobs']) await age(table, projectId, 11);
    await env.DB.prepare("update classify_jobs set status = 'PENDING', parse_job_id = ? where id = ?")
      .bind(read.job_id, open.job_id)
      .run();
    const result = keys.jobResult(projectId, extract.job_id);
    await env.FILES.put(result, '{}');
    await removeExpired(context(), undefined, later());
    expect(await found(key, `/api/v2/parse/${parse.job_id}`)).toBe(404);
    expect(await found(key, `/api/v2/extract/${extract.job_id}`)).toBe(404);
    expect(await env.FILES.head(result)).toBeNull();
    expect(await found(key, `/api/v2/parse/${read.job_id}`)).toBe(200);
    expect(await found(key, `/api/v2/classify/${open.job_id}`)).toBe(200);
    const end = env.DB.prepare("update classify_jobs set status = 'COMPLETED', finished_at = ? where id = ?");
    await end.bind(Date.now(), open.job_id).run();
    await removeExpired(context(), undefined, later());
    expect(await found(key, `/api/v2/parse/${read.job_id}`)).toBe(200);
    await end.bind(0, open.job_id).run();
    await removeExpired(context(), undefined, later());
    expect(await found(key, `/api/v2/classify/${open.job_id}`)).toBe(404);
  });

  it('deletes parses that nothing uses, which are parsed again on request', async () => {
    const owner = await createTenant();
    const its = createFixtures(owner);
    const id = await its.illustrated();
    const first = await call('GET', `/api/v1/files/${id}/page_screenshots/0`, { key: owner.key });
    expect(first.status).toBe(200);
    const { job_id } = await its.completedParse();
    const { body } = await call<{ file_id: string }>('GET', `/api/v2/parse/${job_id}`, { key: owner.key });
    const getContentHash = (file: string) =>
      env.DB.prepare('select content_hash from files where id = ?').bind(file).first<string>('content_hash');
    const parsed = async (file: string) => {
      const prefix = keys.parsedFile(owner.projectId, (await getContentHash(file))!);
      return (await env.FILES.list({ prefix })).objects.length;
    };
    const expire = (before: Date) =>
      expireParses(context(), { projectId: owner.projectId, before, cursor: undefined });
    expect(await expire(new Date(Date.now() - AN_HOUR))).toEqual({ removed: 0, next: undefined });
    expect(await parsed(id)).toBeGreaterThan(0);
    expect(await expire(new Date(later()))).toEqual({ removed: 1, next: undefined });
    expect(await parsed(id)).toBe(0);
    expect(await parsed(body.file_id)).toBeGreaterThan(0);
    expect(await found(owner.key, `/api/v2/parse/${job_id}?expand=markdown`)).toBe(200);
    expect(await found(owner.key, `/api/v1/files/${id}/page_screenshots/0`)).toBe(200);
  });

  it('keeps a parse that a job starts to use during the pass', async () => {
    const owner = await createTenant();
    const its = createFixtures(owner);
    const id = await its.illustrated();
    await call('GET', `/api/v1/files/${id}/page_screenshots/0`, { key: owner.key });
    const { job_id } = await its.completedParse();
    const bucket = new Proxy(env.FILES, {
      get(target, name) {
        const member = Reflect.get(target, name, target) as unknown;
        if (name !== 'list') return typeof member === 'function' ? member.bind(target) : member;
        return async (options: R2ListOptions) => {
          await env.DB.prepare(
            `update parse_jobs set content_hash = (select content_hash from files where id = ?) where id = ?
             and ? <> '/'`,
          )
            .bind(id, job_id, options.delimiter ?? '')
            .run();
          return target.list(options);
        };
      },
    });
    const all = { projectId: owner.projectId, before: new Date(later()), cursor: undefined };
    const { results } = await env.DB.prepare('select content_hash from files where id = ?').bind(id).all();
    await expireParses({ ...context(), bucket }, all);
    const prefix = keys.parsedFile(owner.projectId, String(results[0]?.content_hash));
    expect((await env.FILES.list({ prefix })).objects.length).toBeGreaterThan(0);
  });

  it('deletes files in steps that continue where the last one ended', async () => {
    const { projectId } = await createTenant();
    const insert = env.DB.prepare(
      `insert into files (id, project_id, origin, name, created_at, updated_at)
       values (?, ?, '', 'a', ?, 0)`,
    );
    const ids = Array.from({ length: 32 }, () => crypto.randomUUID());
    const [older, ...others] = ids as [string, ...string[]];
    await env.DB.batch(others.map((each, at) => insert.bind(each, projectId, 10 + at)));
    const expired = { projectId, before: new Date() };
    const first = await expireFiles(context(), { ...expired, cursor: undefined });
    expect(first.removed).toBe(30);
    await insert.bind(older, projectId, 1).run();
    expect(await expireFiles(context(), { ...expired, cursor: first.next })).toEqual({ removed: 1 });
    const left = env.DB.prepare('select id from files where project_id = ?').bind(projectId);
    expect(await left.first('id')).toBe(older);
  });

  it('deletes ended deliveries', async () => {
    const { delivery_id } = await make.delivery();
    await keep(tenant, { jobs_days: null, webhook_deliveries_days: 10 });
    await removeExpired(context(), undefined, later());
    expect(await found(tenant.key, `/api/v1/beta/webhook-deliveries/${delivery_id}`)).toBe(200);
    await age('webhook_deliveries', tenant.projectId, 11);
    await env.DB.prepare("update webhook_deliveries set status = 'pending' where id = ?")
      .bind(delivery_id)
      .run();
    await removeExpired(context(), undefined, later());
    expect(await found(tenant.key, `/api/v1/beta/webhook-deliveries/${delivery_id}`)).toBe(200);
    await env.DB.prepare("update webhook_deliveries set status = 'dead' where id = ?")
      .bind(delivery_id)
      .run();
    await removeExpired(context(), undefined, later());
    expect(await found(tenant.key, `/api/v1/beta/webhook-deliveries/${delivery_id}`)).toBe(404);
  });

  it('deletes old counts and runs, except the newest run of each pipeline', async () => {
    const { projectId, key } = tenant;
    const { pipeline_id } = await make.pipelineFile();
    const old = Date.now() - 20 * DAY_MS;
    const day = new Date(old).toISOString().slice(0, 10);
    const ids = [crypto.randomUUID(), crypto.randomUUID()];
    const run = (generation: number) =>
      env.DB.prepare(
        `insert into sync_runs (id, pipeline_id, generation, status, reason, counters, started_at, finished_at)
         values (?, ?, ?, 'SUCCESS', 'request', '{}', ?, ?)`,
      ).bind(ids[generation - 1], pipeline_id, generation, old, old);
    await env.DB.batch([
      env.DB.prepare('delete from sync_runs where pipeline_id = ?').bind(pipeline_id),
      run(1),
      run(2),
      env.DB.prepare('insert into daily_activity (project_id, day) values (?, ?)').bind(projectId, day),
      env.DB.prepare(`insert into model_usage values (?, ?, 'chat', 'm', 1, 0, 1, 1, 0, 1)`).bind(
        projectId,
        day,
      ),
      env.DB.prepare(
        `insert into usage_records (id, project_id, product, job_id, pages, credits, created_at)
         values (?, ?, 'parse', 'old', 1, 1, ?)`,
      ).bind(crypto.randomUUID(), projectId, old),
    ]);
    await keep(tenant, { webhook_deliveries_days: null, usage_days: 10 });
    await removeExpired(context(), undefined, later());
    const rows = (text: string) =>
      env.DB.prepare(text)
        .bind(projectId)
        .all<{ id: string }>()
        .then(({ results }) => results);
    expect(await rows(`select * from daily_activity where project_id = ? and day = '${day}'`)).toEqual([]);
    expect(await rows(`select * from model_usage where project_id = ? and day = '${day}'`)).toEqual([]);
    expect(await rows("select * from usage_records where project_id = ? and job_id = 'old'")).toEqual([]);
    const runs =
      await rows(`select sync_runs.id as id from sync_runs join pipelines on pipelines.id = pipeline_id
      where project_id = ? and started_at = ${old}`);
    expect(runs.map(({ id }) => id)).toEqual([ids[1]]);
    expect(await found(key, `/api/v1/pipelines/${pipeline_id}/status`)).toBe(200);
  });

  it('uses the retention of the installation if the project has none', async () => {
    const [says, silent] = [await createTenant(), await createTenant()];
    const files = [await createFixtures(says).file(), await createFixtures(silent).file()];
    await keep(says, { files_days: 100 });
    for (const { projectId } of [says, silent]) await age('files', projectId, 50);
    const status = async () => [
      await found(says.key, `/api/v1/files/${files[0]}`),
      await found(silent.key, `/api/v1/files/${files[1]}`),
    ];
    await removeExpired(context(), undefined, later());
    expect(await status()).toEqual([200, 200]);
    await removeExpired(context({ RETENTION_FILES_DAYS: 40 }), undefined, later());
    expect(await status()).toEqual([200, 404]);
  });
});

describe('an expiry pass', () => {
  it('stops at its time limit and continues where it stopped', async () => {
    const owners = [await createTenant(), await createTenant(), await createTenant()];
    for (const owner of owners) {
      for (let file = 0; file < 2; file++) await createFixtures(owner).file();
      await keep(owner, { files_days: 1, usage_days: 1 });
      await age('files', owner.projectId, 2);
    }
    const left = async () =>
      Promise.all(
        owners.map(({ projectId }) =>
          env.DB.prepare('select count(*) as n from files where project_id = ?')
            .bind(projectId)
            .first<number>('n'),
        ),
      );
    // Each read of the clock advances it by a second, so that a pass ends in the middle.
    let now = Date.now();
    const clock = vi.spyOn(Date, 'now').mockImplementation(() => (now += 1_000));
    try {
      const ctx = context();
      let place: SweepPosition | undefined;
      let turns = 0;
      do {
        place = await removeExpired(ctx, place, now + 4_000);
        turns += 1;
      } while (place && turns < 500);
      expect(turns).toBeGreaterThan(2);
      expect(place).toBeUndefined();
    } finally {
      clock.mockRestore();
    }
    expect(await left()).toEqual([0, 0, 0]);
  });

  it('is not blocked by items that cannot be removed', async () => {
    const [broken, fine] = [await createTenant(), await createTenant()].toSorted((a, b) =>
      a.projectId < b.projectId ? -1 : 1,
    ) as [Tenant, Tenant];
    const ids = [await createFixtures(broken).file(), await createFixtures(fine).file()];
    for (const owner of [broken, fine]) {
      await keep(owner, { files_days: 1, parses_days: 1 });
      await age('files', owner.projectId, 2);
    }
    const ctx = context();
    const bucket = new Proxy(env.FILES, {
      get(target, name) {
        const member = Reflect.get(target, name, target) as unknown;
        if (name !== 'list') return typeof member === 'function' ? member.bind(target) : member;
        return async (options: R2ListOptions) => {
          if (options.prefix?.includes(broken.projectId)) throw new Error('the bucket is away');
          return target.list(options);
        };
      },
    });
    expect(await removeExpired({ ...ctx, bucket }, undefined, later())).toBeUndefined();
    expect(await found(fine.key, `/api/v1/files/${ids[1]}`)).toBe(404);
  });
});
