import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Context, createContext } from '#src/context/context.ts';
import { openDatabase } from '#src/db/client.ts';
import { dailyActivity, type LimitName, projectPages, usageRecords } from '#src/db/schema/index.ts';
import { DAY_MS, toUtcDay } from '#src/lib/day.ts';
import { getJobUsage } from '#src/services/limits/jobs.ts';
import { getDefaultLimit } from '#src/services/limits/limits.ts';
import { createPageQuota, getPageUsage } from '#src/services/limits/pages.ts';
import { buildStorageCount, getStorageUsage } from '#src/services/limits/storage.ts';
import { insertFile, insertProject, valuesOf } from '#test/support/inserted-rows.ts';
import { createTenant } from '#test/support/tenants.ts';

// What counts towards a limit, and what does not: files without bytes, other days, other projects.

const db = openDatabase(env.DB);
const VARIABLES = {
  files: 'PROJECT_FILES',
  bytes: 'PROJECT_BYTES',
  pages_per_day: 'PROJECT_PAGES_PER_DAY',
  concurrent_jobs: 'PROJECT_CONCURRENT_JOBS',
} as const satisfies Record<LimitName, string>;
const NAMES = Object.keys(VARIABLES) as LimitName[];

/** Returns a context with these defaults of the installation, and no others. */
function contextWith(defaults: Partial<Record<LimitName, number>> = {}): Context {
  const ctx = createContext(env, { waitUntil() {} });
  const given = Object.fromEntries(NAMES.map((name) => [VARIABLES[name], defaults[name]]));
  return { ...ctx, settings: { ...ctx.settings, ...given } };
}

const ctx = contextWith();
let projectId: string;
/** Another project of the same organization. */
let sibling: string;

beforeEach(async () => {
  const tenant = await createTenant();
  projectId = tenant.projectId;
  sibling = await insertProject(tenant.organizationId);
});

const limit = (limits: object, id = projectId) =>
  env.DB.prepare('update projects set limits = ? where id = ?').bind(JSON.stringify(limits), id).run();

describe('a default limit of the installation', () => {
  it.each(NAMES)('for %s applies to these alone', (name) => {
    const { settings } = contextWith({ [name]: 5 });
    const found = NAMES.map((each) => [each, getDefaultLimit(settings, each)]);
    expect(found).toEqual(NAMES.map((each) => [each, each === name ? 5 : null]));
  });

  const getLimits = async (given: Context) => {
    const { files, bytes } = await getStorageUsage(given, projectId);
    const [pages, jobs] = [await getPageUsage(given, projectId), await getJobUsage(given, projectId)];
    return [files, bytes, pages, jobs].map(({ limit }) => limit);
  };
  const defaults = { files: 1, bytes: 2, pages_per_day: 3, concurrent_jobs: 4 };

  it('applies to a project that sets none', async () => {
    expect(await getLimits(contextWith(defaults))).toEqual([1, 2, 3, 4]);
    await limit({});
    expect(await getLimits(contextWith(defaults))).toEqual([1, 2, 3, 4]);
    expect(await getLimits(ctx)).toEqual([null, null, null, null]);
  });

  it('gives way to the limit of the project, even to 0', async () => {
    await limit({ files: 10, bytes: 0, concurrent_jobs: 40 });
    expect(await getLimits(contextWith(defaults))).toEqual([10, 0, 3, 40]);
  });

  it('does not give way to the limit of another project', async () => {
    await limit({ files: 10, bytes: 20, pages_per_day: 30, concurrent_jobs: 40 }, sibling);
    expect(await getLimits(contextWith(defaults))).toEqual([1, 2, 3, 4]);
  });
});

describe('the stored files of a project', () => {
  const used = async (id = projectId) => {
    const { files, bytes } = await getStorageUsage(ctx, id);
    return [files.used, bytes.used];
  };

  it.each<[string, number[], Parameters<typeof insertFile>[1]]>([
    ['an upload that has arrived, with its bytes', [1, 7], { fileSize: 7, storageKey: 'key' }],
    ['an upload that was announced, without bytes', [1, 0], { fileSize: 7 }],
    [
      'a file of a source that was fetched, with its bytes',
      [1, 7],
      { fileSize: 7, storageKey: 'key', origin: 's' },
    ],
    ['no file of a source that was not fetched', [0, 0], { fileSize: 7, origin: 's' }],
  ])('include %s', async (_, expected, columns) => {
    await insertFile(projectId, columns);
    expect(await used()).toEqual(expected);
    await buildStorageCount(ctx, projectId);
    expect(await used()).toEqual(expected);
  });

  it('include no file of another project', async () => {
    await insertFile(projectId, { fileSize: 7, storageKey: 'key' });
    await insertFile(sibling, { fileSize: 5, storageKey: 'key' });
    expect([await used(), await used(sibling)]).toEqual([
      [1, 7],
      [1, 5],
    ]);
    for (const id of [projectId, sibling]) await buildStorageCount(ctx, id);
    expect([await used(), await used(sibling)]).toEqual([
      [1, 7],
      [1, 5],
    ]);
  });

  it('are counted again on request, or only if they were never counted', async () => {
    await insertFile(projectId, { fileSize: 7, storageKey: 'key' });
    await env.DB.prepare('insert into project_storage (project_id, files, bytes) values (?, 90, 900)')
      .bind(projectId)
      .run();
    await buildStorageCount(ctx, projectId, { keepExisting: true });
    expect(await used()).toEqual([90, 900]);
    await buildStorageCount(ctx, sibling, { keepExisting: true });
    expect(await valuesOf('project_storage', 'files', `project_id = '${sibling}'`)).toEqual([0]);
    await buildStorageCount(ctx, projectId);
    expect(await used()).toEqual([1, 7]);
  });
});

describe('the pages of a day', () => {
  const today = toUtcDay(Date.now());
  const yesterday = toUtcDay(Date.now() - DAY_MS);
  const job = (owner: string, createdAt: Date, pages: number) => {
    const row = { id: crypto.randomUUID(), projectId: owner, product: 'parse', jobId: crypto.randomUUID() };
    return db.insert(usageRecords).values({ ...row, createdAt, pages, credits: pages });
  };
  const used = async () => (await getPageUsage(ctx, projectId)).used;
  const take = async (pages: number, most: number) =>
    createPageQuota(ctx, projectId, { limit: most, left: most }).take([pages]);

  it('are those of jobs and syncs of this day and project', async () => {
    await job(projectId, new Date(Date.parse(today)), 1);
    await job(projectId, new Date(Date.parse(today) - 1), 20);
    await job(sibling, new Date(), 300);
    await db.insert(dailyActivity).values([
      { projectId, day: today, pagesIndexed: 4 },
      { projectId, day: yesterday, pagesIndexed: 5000 },
      { projectId: sibling, day: today, pagesIndexed: 60_000 },
    ]);
    expect(await used()).toBe(5);
  });

  it.each([
    ['another day', () => ({ projectId, day: yesterday })],
    ['another project', () => ({ projectId: sibling, day: today })],
  ])('do not include the counter of %s', async (_, place) => {
    await db.insert(projectPages).values({ ...place(), pages: 50 });
    expect(await used()).toBe(0);
    await limit({ pages_per_day: 3 });
    expect(await take(4, 3)).toEqual([expect.objectContaining({ limit: 'pages_per_day' })]);
    expect(await take(3, 3)).toEqual([undefined]);
    expect(await used()).toBe(3);
    const pages = await valuesOf('project_pages', 'pages', `project_id in ('${projectId}', '${sibling}')`);
    expect(pages.toSorted()).toEqual([3, 50]);
  });

  it('can be taken up to the limit exactly, beside those that were recorded before', async () => {
    await job(projectId, new Date(), 2);
    await limit({ pages_per_day: 5 });
    expect(await take(4, 5)).toEqual([expect.any(Error)]);
    expect(await take(3, 5)).toEqual([undefined]);
    expect(await take(1, 5)).toEqual([expect.any(Error)]);
    expect(await used()).toBe(5);
  });
});
