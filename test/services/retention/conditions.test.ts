import { env } from 'cloudflare:workers';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createContext } from '#src/context/context.ts';
import { DAY_MS } from '#src/lib/day.ts';
import { expireFiles } from '#src/services/retention/files.ts';
import { expireJobs } from '#src/services/retention/jobs.ts';
import { createFixtures, type Fixtures } from '#test/suites/operation-inputs.ts';
import { age } from '#test/support/aged-rows.ts';
import { untilEnded } from '#test/support/jobs.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';

// Each condition alone keeps an expired row, and the row is removed once the condition no longer holds.

let tenant: Tenant;
let make: Fixtures;

beforeAll(() => {
  vi.spyOn(globalThis, 'fetch').mockImplementation(async () => new Response('received'));
});
afterAll(() => {
  vi.restoreAllMocks();
});
beforeEach(async () => {
  tenant = await createTenant();
  make = createFixtures(tenant);
});

const old = () => Date.now() - 11 * DAY_MS;

const change = async (statement: string, ...values: unknown[]): Promise<void> => {
  const { meta } = await env.DB.prepare(statement)
    .bind(...values)
    .run();
  expect(meta.changes, statement).toBeGreaterThan(0);
};

const exists = async (table: string, id: string): Promise<boolean> =>
  (await env.DB.prepare(`select 1 from ${table} where id = ?`).bind(id).first()) !== null;

const expired = (projectId = tenant.projectId) => ({
  projectId,
  before: new Date(Date.now() - 10 * DAY_MS),
  cursor: undefined,
});
const context = () => createContext(env, { waitUntil() {} });

/** A row that one condition keeps, and a function that ends the condition. */
interface Kept {
  id: string;
  end(): Promise<void>;
}

async function jobOver(product: 'parse' | 'extract' | 'classify') {
  const { job_id: id } = await make.job(product);
  await untilEnded(product, id, tenant.key);
  const table = `${product}_jobs`;
  const row = await env.DB.prepare(`select file_id from ${table} where id = ?`).bind(id).first();
  return { id, table, fileId: String(row!.file_id) };
}

const heldByJob = (product: 'parse' | 'extract' | 'classify') => async (): Promise<Kept> => {
  const { id, table, fileId } = await jobOver(product);
  // An extract or classify job may have created a parse job of the same file, which would keep the file as
  // well.
  if (product !== 'parse')
    await env.DB.prepare('delete from parse_jobs where file_id = ?').bind(fileId).run();
  await age('files', tenant.projectId, 11);
  return { id: fileId, end: () => change(`delete from ${table} where id = ?`, id) };
};

/** Keeps an old file with a value in this column. `end` sets an old value. */
const heldByColumn = (column: string, kept: () => number) => async (): Promise<Kept> => {
  const id = await make.file();
  await age('files', tenant.projectId, 11);
  await change(`update files set ${column} = ? where id = ?`, kept(), id);
  return { id, end: () => change(`update files set ${column} = ? where id = ?`, old(), id) };
};

describe('an expired file is not deleted', () => {
  it.each<[string, () => Promise<Kept>]>([
    [
      'while a pipeline has it',
      async () => {
        const { file_id, pipeline_id } = await make.pipelineFile();
        await age('files', tenant.projectId, 11);
        const end = () => change('delete from pipeline_members where pipeline_id = ?', pipeline_id);
        return { id: file_id, end };
      },
    ],
    [
      'while a directory contains it',
      async () => {
        const { directory_id, directory_file_id } = await make.directoryFile();
        await age('files', tenant.projectId, 11);
        const end = () => change('delete from directory_files where directory_id = ?', directory_id);
        return { id: directory_file_id.slice('dfl-'.length), end };
      },
    ],
    ['while a parse job names it', heldByJob('parse')],
    ['while an extract job names it', heldByJob('extract')],
    ['while a classify job names it', heldByJob('classify')],
    ['while it is young', heldByColumn('created_at', Date.now)],
    ['while it was changed lately', heldByColumn('updated_at', Date.now)],
    ['while an upload may arrive', heldByColumn('pending_until', () => Date.now() + DAY_MS)],
    [
      'while a parse job has its pages from an equal file that is gone',
      async () => {
        const { id: jobId, fileId } = await jobOver('parse');
        const id = await make.file();
        await change('delete from files where id = ?', fileId);
        await age('files', tenant.projectId, 11);
        return { id, end: () => change('delete from parse_jobs where id = ?', jobId) };
      },
    ],
  ])('%s', async (_, keep) => {
    const { id, end } = await keep();
    await expireFiles(context(), expired());
    expect(await exists('files', id)).toBe(true);
    await end();
    await expireFiles(context(), expired());
    expect(await exists('files', id)).toBe(false);
  });

  it('if it belongs to another project', async () => {
    const id = await make.file();
    await age('files', tenant.projectId, 11);
    await expireFiles(context(), expired((await createTenant()).projectId));
    expect(await exists('files', id)).toBe(true);
  });
});

describe('an expired job is not deleted', () => {
  const jobWith =
    (set: string, unset: string, ...values: (() => number)[]) =>
    async (): Promise<Kept> => {
      const { id } = await jobOver('parse');
      await age('parse_jobs', tenant.projectId, 11);
      await change(`update parse_jobs set ${set} where id = ?`, ...values.map((value) => value()), id);
      return { id, end: () => change(`update parse_jobs set ${unset} where id = ?`, ...values.map(old), id) };
    };
  const jobReadBy = (product: 'extract' | 'classify') => async (): Promise<Kept> => {
    const { id } = await jobOver('parse');
    const reader = await jobOver(product);
    await age('parse_jobs', tenant.projectId, 11);
    await change(`update ${reader.table} set parse_job_id = ? where id = ?`, id, reader.id);
    return { id, end: () => change(`delete from ${reader.table} where id = ?`, reader.id) };
  };

  it.each<[string, () => Promise<Kept>]>([
    ['while it is young', jobWith('created_at = ?', 'created_at = ?', Date.now)],
    ['while it is open', jobWith("status = 'PENDING'", "status = 'COMPLETED'")],
    ['while it ended lately', jobWith('finished_at = ?', 'finished_at = ?', Date.now)],
    [
      'while it was changed lately and says nothing of its end',
      jobWith('finished_at = null, updated_at = ?', 'updated_at = ?', Date.now),
    ],
    [
      'while a webhook has yet to tell of it',
      async () => {
        const { id } = await jobOver('parse');
        const { delivery_id } = await make.delivery();
        await age('parse_jobs', tenant.projectId, 11);
        const set = 'update webhook_deliveries set job_id = ?, status = ? where id = ?';
        await change(set, id, 'pending', delivery_id);
        return { id, end: () => change(set, id, 'delivered', delivery_id) };
      },
    ],
    ['while an extract job has its pages', jobReadBy('extract')],
    ['while a classify job has its pages', jobReadBy('classify')],
  ])('%s', async (_, keep) => {
    const { id, end } = await keep();
    await expireJobs(context(), expired());
    expect(await exists('parse_jobs', id)).toBe(true);
    await end();
    await expireJobs(context(), expired());
    expect(await exists('parse_jobs', id)).toBe(false);
  });

  it('if it belongs to another project', async () => {
    const { id } = await jobOver('parse');
    await age('parse_jobs', tenant.projectId, 11);
    await expireJobs(context(), expired((await createTenant()).projectId));
    expect(await exists('parse_jobs', id)).toBe(true);
  });
});
