import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { keys } from '#src/bucket/keys.ts';
import { createContext } from '#src/context/context.ts';
import { DAY_MS } from '#src/lib/day.ts';
import { expireFiles } from '#src/services/retention/files.ts';
import { expireJobs } from '#src/services/retention/jobs.ts';
import { upload } from '#test/support/client.ts';
import { keysUnder } from '#test/support/files.ts';
import {
  hasRow,
  insertDelivery,
  insertFile,
  insertJob,
  insertMember,
  insertPipeline,
} from '#test/support/inserted-rows.ts';
import { databaseWhere } from '#test/support/meanwhile.ts';
import { createTenant } from '#test/support/tenants.ts';

// What is used again between the select and the delete of an expiry stays, with its bytes.

const old = new Date(Date.now() - 20 * DAY_MS);
const past = { createdAt: old, updatedAt: old, finishedAt: old };

const expired = (projectId: string) => ({
  projectId,
  before: new Date(Date.now() - 10 * DAY_MS),
  cursor: undefined,
});

const contextWhere = (matching: RegExp, happens: () => Promise<unknown>) =>
  createContext({ ...env, DB: databaseWhere(matching, happens) }, { waitUntil() {} });

describe('an expired file stays with its bytes', () => {
  it.each<[string, (projectId: string, fileId: string) => Promise<unknown>]>([
    ['if a job starts to read it', (projectId, fileId) => insertJob('parse', projectId, { fileId, ...past })],
    [
      'if it is added to a pipeline',
      async (projectId, fileId) => insertMember(await insertPipeline(projectId), fileId),
    ],
    [
      'if it is replaced',
      (_, fileId) =>
        env.DB.prepare('update files set updated_at = ? where id = ?').bind(Date.now(), fileId).run(),
    ],
  ])('%s meanwhile', async (_, use) => {
    const { key, projectId } = await createTenant();
    const id = await upload('a.txt', 'A text.', { key });
    const other = await insertFile(projectId, { createdAt: old, updatedAt: old });
    await env.DB.prepare('update files set created_at = ?1, updated_at = ?1 where id = ?2')
      .bind(old.getTime(), id)
      .run();
    const ctx = contextWhere(/^delete from "files"/, () => use(projectId, id));
    expect(await expireFiles(ctx, expired(projectId))).toMatchObject({ removed: 1 });
    expect(await hasRow('files', other)).toBe(false);
    expect(await hasRow('files', id)).toBe(true);
    expect(await keysUnder(keys.uploads(projectId, id))).toHaveLength(1);
  });
});

describe('an expired job stays with its result and deliveries', () => {
  it.each<[string, (projectId: string, jobId: string) => Promise<unknown>]>([
    [
      'if an event of it is sent again',
      (projectId, jobId) => insertDelivery(projectId, jobId, { status: 'pending' }),
    ],
    [
      'if another job starts to read its pages',
      (projectId, parseJobId) =>
        env.DB.prepare('update extract_jobs set parse_job_id = ? where project_id = ?')
          .bind(parseJobId, projectId)
          .run(),
    ],
  ])('%s meanwhile', async (_, use) => {
    const { projectId } = await createTenant();
    const [id, other] = [
      await insertJob('parse', projectId, past),
      await insertJob('parse', projectId, past),
    ];
    await insertJob('extract', projectId);
    const deliveries = [await insertDelivery(projectId, id), await insertDelivery(projectId, other)];
    await env.FILES.put(keys.jobResult(projectId, id), '{}');
    const ctx = contextWhere(/^delete from "parse_jobs"/, () => use(projectId, id));
    expect(await expireJobs(ctx, expired(projectId))).toEqual({ removed: 1, next: undefined });
    expect(await hasRow('parse_jobs', other)).toBe(false);
    expect(await hasRow('parse_jobs', id)).toBe(true);
    expect(await keysUnder(keys.jobs(projectId))).toEqual([keys.jobResult(projectId, id)]);
    const left = await Promise.all(deliveries.map((each) => hasRow('webhook_deliveries', each)));
    expect(left).toEqual([true, false]);
  });
});
