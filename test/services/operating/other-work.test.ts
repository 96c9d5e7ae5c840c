import { env } from 'cloudflare:workers';
import { beforeEach, describe, expect, it } from 'vitest';
import { type Context, createContext } from '#src/context/context.ts';
import { openDatabase } from '#src/db/client.ts';
import { deadLetters, pipelineIndexes } from '#src/db/schema/index.ts';
import { type Check, STUCK_MS } from '#src/services/operating/check.ts';
import { checkIndexes } from '#src/services/operating/checks/indexes.ts';
import { checkJobs, checkWebhooks } from '#src/services/operating/checks/jobs.ts';
import { checkDeletions, checkRuns } from '#src/services/operating/checks/runs.ts';
import { deleteUnwantedDeadLetters } from '#src/services/operating/dead-letters.ts';
import {
  hasRow,
  insertDelivery,
  insertJob,
  insertPipeline,
  insertRun,
  valuesOf,
} from '#test/support/inserted-rows.ts';
import { createTenant } from '#test/support/tenants.ts';

// What is young, finished or not due yet is no finding, and nothing is mended unless that is requested.

const db = openDatabase(env.DB);
/** Methods of Durable Objects that were called to mend something. */
let mended: string[];
let ctx: Context;
let projectId: string;
let pipeline: string;

beforeEach(async () => {
  mended = [];
  const plain = createContext(env, { waitUntil() {} });
  const record = (name: string) => async () => void mended.push(name);
  const objects = {
    ...plain.objects,
    jobState: () => ({ view: async () => null, notify: record('notify') }),
    jobIntake: () => ({ waits: async () => false, announce: record('announce') }),
    pipelineSync: () => ({
      summary: async () => null,
      ...{ erase: record('erase'), start: record('start'), schedule: record('schedule') },
    }),
  };
  ctx = { ...plain, objects } as unknown as Context;
  projectId = (await createTenant()).projectId;
  pipeline = await insertPipeline(projectId);
});

const past = (offset: number) => new Date(Date.now() - STUCK_MS - offset);
const [OLD, YOUNG] = [60_000, -60_000];

/** Returns the places that a check finds, of these. */
async function find(check: Check, places: readonly string[], fix = false): Promise<string[]> {
  const { findings } = await check(ctx, { fix, page_size: 100, page_token: null });
  return findings.map(({ place }) => place).filter((place) => places.includes(place));
}

describe('a check', () => {
  it('finds jobs that are open and have been for long', async () => {
    const open = { status: 'PENDING', finishedAt: null } as const;
    const insert = async (offset: number, columns: object = open) =>
      `job ${await insertJob('extract', projectId, { ...columns, createdAt: past(offset) })}`;
    const [stuck, young, ended] = [await insert(OLD), await insert(YOUNG), await insert(OLD, {})];
    expect(await find(checkJobs, [stuck, young, ended])).toEqual([stuck]);
    expect(mended).toEqual([]);
    await find(checkJobs, [], true);
    expect(mended).toContain('announce');
  });

  it('finds jobs whose deliveries are pending and have long been due', async () => {
    const insert = async (offset: number, columns: Parameters<typeof insertDelivery>[2]) => {
      const job = crypto.randomUUID();
      await insertDelivery(projectId, job, { status: 'pending', createdAt: past(offset), ...columns });
      return `job ${job}`;
    };
    const late = [await insert(OLD, {}), await insert(2 * OLD, { nextAttemptAt: past(OLD) })];
    const others = [
      await insert(YOUNG, {}),
      await insert(OLD, { nextAttemptAt: new Date(Date.now() + 60_000) }),
      await insert(OLD, { nextAttemptAt: past(YOUNG) }),
      await insert(OLD, { status: 'dead' }),
    ];
    const found = await find(checkWebhooks, [...late, ...others]);
    expect(found.toSorted()).toEqual(late.toSorted());
    expect(mended).toEqual([]);
    await find(checkWebhooks, [], true);
    expect(mended).toContain('notify');
  });

  it('finds indexes that were replaced long ago', async () => {
    const insert = async (state: 'live' | 'retired', offset: number) => {
      const id = crypto.randomUUID();
      const row = { id, pipelineId: pipeline, configHash: 'c', state };
      await db.insert(pipelineIndexes).values({ ...row, updatedAt: past(offset) });
      return `index ${id}`;
    };
    const [stuck, young, live] = [
      await insert('retired', OLD),
      await insert('retired', YOUNG),
      await insert('live', OLD),
    ];
    expect(await find(checkIndexes, [stuck, young, live])).toEqual([stuck]);
    expect(await hasRow('pipeline_indexes', stuck.slice('index '.length))).toBe(true);
  });

  it('finds deletions of pipelines that began long ago', async () => {
    const insert = async (status: 'CREATED' | 'DELETING', offset: number) =>
      `pipeline ${await insertPipeline(projectId, { status, updatedAt: past(offset) })}`;
    const [stuck, young, created] = [
      await insert('DELETING', OLD),
      await insert('DELETING', YOUNG),
      await insert('CREATED', OLD),
    ];
    expect(await find(checkDeletions, [stuck, young, created])).toEqual([stuck]);
    expect(mended).toEqual([]);
    await find(checkDeletions, [], true);
    expect(mended).toContain('erase');
  });

  it('finds runs that are open and have been for long', async () => {
    const insert = async (offset: number, columns: object = { finishedAt: null }) => {
      const id = await insertRun(pipeline, 1, { ...columns, startedAt: past(offset) });
      return `sync ${id} of pipeline ${pipeline}`;
    };
    const [stuck, young, ended] = [await insert(OLD), await insert(YOUNG), await insert(OLD, {})];
    expect(await find(checkRuns, [stuck, young, ended])).toEqual([stuck]);
    expect(mended).toEqual([]);
    const open = `pipeline_id = '${pipeline}' and finished_at is null`;
    expect(await valuesOf('sync_runs', 'id', open)).toHaveLength(2);
    await find(checkRuns, [], true);
    expect(mended).toContain('start');
    expect(await valuesOf('sync_runs', 'id', open)).toHaveLength(1);
  });
});

describe('dead letters of work that is gone', () => {
  const store = async (type: string, message: object) => {
    const id = crypto.randomUUID();
    await db.insert(deadLetters).values({ id, type, message: { type, ...message } });
    return id;
  };

  it('are deleted, and those of work that exists stay', async () => {
    const delivered = crypto.randomUUID();
    await insertDelivery(projectId, delivered);
    const kept = [
      await store('extract', { jobId: await insertJob('extract', projectId) }),
      await store('classify', { jobId: await insertJob('classify', projectId) }),
      await store('parse', { jobId: await insertJob('parse', projectId) }),
      await store('deliver-webhook', { jobId: delivered }),
      await store('sync-pipeline', { pipelineId: pipeline }),
      await store('of a later release', { jobId: crypto.randomUUID() }),
    ];
    const gone = [
      await store('parse', { jobId: crypto.randomUUID() }),
      await store('sync-pipeline', { pipelineId: crypto.randomUUID() }),
    ];
    await deleteUnwantedDeadLetters(ctx);
    const left = (ids: string[]) => Promise.all(ids.map((id) => hasRow('dead_letters', id)));
    expect(await left(kept)).toEqual(kept.map(() => true));
    expect(await left(gone)).toEqual([false, false]);
  });
});
