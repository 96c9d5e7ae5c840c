import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { RunLedger } from '#objects/sync/run-ledger.ts';
import { dispatch } from '#queues/dispatch.ts';
import { ingestFile } from '#queues/ingest-file.ts';
import { createContext } from '#src/context/context.ts';
import { createObjects } from '#src/work/objects.ts';
import type { SyncOwner, WorkItem } from '#src/work/sync-owner.ts';
import { call } from '#test/support/client.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';
import {
  addFiles,
  createPipeline,
  retrieve,
  statusOf,
  sync,
  untilFinished,
} from '#test/support/pipelines.ts';

const execution = { waitUntil() {}, passThroughOnException() {}, props: {} } as unknown as ExecutionContext;

/** Returns the owner of a pipeline's sync, which the test calls directly instead of through a queue. */
async function getOwner(pipelineId: string) {
  return createObjects(env).pipelineSync(pipelineId);
}

const ITEM: WorkItem = { id: 'file:1', kind: 'file', fileId: 'file-1' };

type Seed = {
  state: 'waiting' | 'sent' | 'claimed';
  attempts?: number;
  consumer?: string;
  leaseUntil?: number;
};

/** Creates a run in its working phase with one item in the given state and without a queued message. */
async function runWith(seed: Seed) {
  const pipelineId = await createPipeline();
  await addFiles(pipelineId, { 'a.txt': 'alpha' });
  await sync(pipelineId);
  const owner = await getOwner(pipelineId);
  const { generation } = (await owner.view())!;
  const stub = env.PIPELINE_SYNC.get(env.PIPELINE_SYNC.idFromName(pipelineId));
  const rows = (query: string) =>
    runInDurableObject(stub, (_instance, state) => state.storage.sql.exec(query).toArray());
  await runInDurableObject(stub, (_instance, state) => {
    const sql = state.storage.sql;
    sql.exec("update run set state = 'working', finishedAt = null, progressAt = ?", Date.now());
    sql.exec('delete from item');
    // Set far in the future; tests run the alarm themselves.
    state.storage.setAlarm(Date.now() + 3_600_000);
    sql.exec(
      `insert into item (id, generation, body, state, attempts, consumer, leaseUntil, progressAt)
       values (?, ?, ?, ?, ?, ?, ?, ?)`,
      ITEM.id,
      generation,
      JSON.stringify(ITEM),
      seed.state,
      seed.attempts ?? 0,
      seed.consumer ?? null,
      seed.leaseUntil ?? 0,
      Date.now(),
    );
  });
  return { pipelineId, owner, generation, stub, rows };
}

describe('the owner of a sync', () => {
  it('gives an item to one consumer, and ignores results of other consumers', async () => {
    const { owner, generation, rows } = await runWith({ state: 'sent' });
    expect(await owner.claim(generation, ITEM.id, 'one')).toMatchObject({
      go: true,
      items: [{ attempt: 1, item: ITEM }],
    });
    expect(await owner.claim(generation, ITEM.id, 'two')).toEqual({ go: false, why: 'busy' });
    expect(await owner.heartbeat(generation, 'one')).toBe(true);
    expect(await owner.heartbeat(generation, 'two')).toBe(false);
    await owner.report(generation, 'two', [{ itemId: ITEM.id, outcome: { counters: { stolen: 1 } } }]);
    expect((await rows('select state, consumer from item'))[0]).toEqual({
      state: 'claimed',
      consumer: 'one',
    });
    await owner.report(generation, 'one', [{ itemId: ITEM.id, outcome: { counters: { indexed: 1 } } }]);
    expect(await owner.view()).toMatchObject({ state: 'done', items: { done: 1 } });
    expect(await owner.claim(generation, ITEM.id, 'one')).toEqual({ go: false, why: 'drop' });
  });

  it('makes a file wait for its parts, and fails the file if a part fails', async () => {
    const { owner, generation, rows } = await runWith({ state: 'sent' });
    const range = { from: 0, to: 32 };
    const part: WorkItem = { id: 'pages:file-1:0', kind: 'pages', fileId: 'file-1', range };
    await owner.claim(generation, ITEM.id, 'one');
    await owner.report(generation, 'one', [{ itemId: ITEM.id, parts: [part] }]);
    expect(await owner.claim(generation, ITEM.id, 'one')).toEqual({ go: false, why: 'drop' });
    expect(await owner.claim(generation, part.id, 'two')).toMatchObject({
      go: true,
      items: [{ item: part }],
    });
    const error = { message: 'page 3 cannot be read', step: 'PARSE' as const };
    await owner.report(generation, 'two', [{ itemId: part.id, outcome: { counters: { failed: 1 }, error } }]);
    // The file is claimed again and finds the same range missing.
    expect(await owner.claim(generation, ITEM.id, 'one')).toMatchObject({
      go: true,
      items: [{ item: ITEM }],
    });
    await owner.report(generation, 'one', [{ itemId: ITEM.id, parts: [part] }]);
    expect(await owner.view()).toMatchObject({ state: 'done', items: { failed: 2 } });
    expect(await rows("select id from item where state <> 'failed'")).toEqual([]);
  });

  it('fails an item only after the reason is stored', async () => {
    const { pipelineId, stub, generation, rows } = await runWith({ state: 'sent' });
    const [file] = await call<{ file_id: string }[]>('GET', `/api/v1/pipelines/${pipelineId}/files`).then(
      ({ body }) => body,
    );
    await rows(
      `update item set body = json_set(body, '$.fileId', '${file!.file_id}') where id = '${ITEM.id}'`,
    );
    const failure = { message: 'It was delivered in vain.', step: 'INGESTION' as const };
    const prepare = vi.spyOn(Object.getPrototypeOf(env.DB), 'prepare').mockImplementation(() => {
      throw new Error('the database is away');
    });
    const giveUp = () =>
      runInDurableObject(stub, (object) =>
        (object as unknown as SyncOwner).giveUp(generation, ITEM.id, failure),
      );
    await expect(giveUp()).rejects.toThrow('away');
    prepare.mockRestore();
    expect(await rows('select state from item')).toEqual([{ state: 'sent' }]);
    await giveUp();
    expect(await rows('select state from item')).toEqual([{ state: 'failed' }]);
    const { status, error } = await statusOf(pipelineId);
    expect({ status, error }).toMatchObject({ error: [failure] });
  });

  it('limits how often an item is split into parts', async () => {
    const { owner, generation, stub } = await runWith({ state: 'sent' });
    const part: WorkItem = {
      id: 'pages:file-1:0',
      kind: 'pages',
      fileId: 'file-1',
      range: { from: 0, to: 32 },
    };
    await owner.claim(generation, ITEM.id, 'one');
    await owner.report(generation, 'one', [{ itemId: ITEM.id, parts: [part] }]);
    await owner.claim(generation, part.id, 'two');
    await owner.report(generation, 'two', [{ itemId: part.id, outcome: { counters: {} } }]);
    for (let attempt = 2; attempt <= 4; attempt += 1) {
      expect(await owner.claim(generation, ITEM.id, 'one')).toMatchObject({ go: true, items: [{ attempt }] });
      await owner.report(generation, 'one', [{ itemId: ITEM.id, parts: [part] }]);
    }
    expect(await owner.view()).toMatchObject({ state: 'done', items: { done: 1, failed: 1 } });
    await runDurableObjectAlarm(stub);
  });

  it('ignores a plan for a phase that has ended', async () => {
    const { owner, generation, stub, rows } = await runWith({ state: 'claimed', consumer: 'one' });
    await runInDurableObject(stub, (_object, state) => {
      state.storage.sql.exec("update run set state = 'planning', sourcesRead = 1");
    });
    const late = { id: 'file:2', kind: 'file' as const, fileId: 'file-2' };
    expect(await owner.assignment(generation)).toMatchObject({ phase: 'differences', sources: [] });
    expect(await owner.plan(generation, 'sources', [late], true)).toBe(false);
    expect(await rows('select id from item')).toEqual([{ id: ITEM.id }]);
    expect(await owner.view()).toMatchObject({ state: 'planning' });
    await owner.cancel();
  });

  it('drops the follow-up run if the current run is cancelled while it ends', async () => {
    const { owner, stub, rows } = await runWith({ state: 'waiting' });
    const again = JSON.stringify({ sources: [], fileIds: null });
    await runInDurableObject(stub, (_object, state) => {
      state.storage.sql.exec("update run set state = 'concluding', again = ?", again);
    });
    await owner.cancel();
    expect(await rows('select again from run')).toEqual([{ again: null }]);
  });

  it('gives each claim a higher version than all earlier claims', async () => {
    const { owner, generation } = await runWith({ state: 'claimed', consumer: 'dead', leaseUntil: 1 });
    const first = await owner.claim(generation, ITEM.id, 'one');
    await owner.report(generation, 'one', [
      {
        itemId: ITEM.id,
        failure: {
          message: 'again',
          step: 'INGESTION',
          retryAfterSeconds: 0,
        },
      },
    ]);
    const second = await owner.claim(generation, ITEM.id, 'two');
    expect(first.go && second.go && second.version > first.version).toBe(true);
  });

  it('drops messages of another generation, of unknown items and of finished items', async () => {
    const pipelineId = await createPipeline();
    const [fileId] = await addFiles(pipelineId, { 'a.txt': 'only once' });
    await sync(pipelineId);
    const owner = await getOwner(pipelineId);
    const generation = (await owner.view())!.generation;
    for (const [wrongGeneration, id] of [
      [generation, `file:${fileId}`],
      [generation + 1, `file:${fileId}`],
      [generation - 1, `file:${fileId}`],
      [generation, 'file:unknown'],
    ] as const) {
      expect(await owner.claim(wrongGeneration, id, 'late')).toEqual({ go: false, why: 'drop' });
    }
  });

  it('indexes each file once even if messages arrive three times and out of order', async () => {
    const pipelineId = await createPipeline();
    const ids = await addFiles(
      pipelineId,
      Object.fromEntries(
        Array.from({ length: 6 }, (_, n) => [`f${n}.txt`, `Unique sentence about topic${n}.`]),
      ),
    );
    const ctx = createContext(env, execution);
    const owner = await getOwner(pipelineId);
    await call('POST', `/api/v1/pipelines/${pipelineId}/sync`);
    const generation = (await owner.view())!.generation;
    const messages = [...ids, ...ids, ...ids].reverse().map((id) => ({
      type: 'ingest-file' as const,
      pipelineId,
      generation,
      itemId: `file:${id}`,
    }));
    await Promise.all(messages.map((message) => ingestFile(ctx, message)));
    const status = await untilFinished(pipelineId);
    await Promise.all(messages.map((message) => ingestFile(ctx, message)));
    expect(status).toMatchObject({ status: 'SUCCESS', counts: { SUCCESS: 6 } });
    expect(status.progress?.counters.indexed).toBe(6);
    const hits = await retrieve(pipelineId, 'unique sentence topic', { rerank_top_n: 50 });
    expect(hits.map((hit) => hit.node.extra_info.file_id).sort()).toEqual([...ids].sort());
  });

  it('reschedules a released item after the requested delay', async () => {
    const { owner, generation, rows } = await runWith({ state: 'claimed', consumer: 'me', attempts: 1 });
    const failure = { message: 'too many requests', step: 'INGESTION', retryAfterSeconds: 90 } as const;
    const before = Date.now();
    await owner.report(generation, 'me', [{ itemId: ITEM.id, failure }]);
    const [entry] = await rows('select state, notBefore from item');
    expect(entry?.state).toBe('waiting');
    expect(Number(entry?.notBefore)).toBeGreaterThanOrEqual(before + 90_000);
    expect((await owner.view())?.counters.retries).toBe(1);
    await owner.cancel();
  });

  it('counts no attempt for a rate-limited item, and pauses the run', async () => {
    const { owner, generation, rows } = await runWith({ state: 'claimed', consumer: 'me', attempts: 4 });
    const failure = { message: 'slow down', step: 'INGESTION', retryAfterSeconds: 30 } as const;
    await owner.report(generation, 'me', [{ itemId: ITEM.id, failure }]);
    expect((await rows('select state, attempts from item'))[0]).toEqual({ state: 'waiting', attempts: 3 });
    expect(Number((await rows('select pausedUntil from run'))[0]?.pausedUntil)).toBeGreaterThan(
      Date.now() + 20_000,
    );
    expect((await owner.view())?.counters).toMatchObject({ retries: 1, throttled: 1 });
    await owner.cancel();
  });

  it('fails an item whose requested delay is too long', async () => {
    const { owner, generation } = await runWith({ state: 'claimed', consumer: 'me', attempts: 1 });
    const failure = {
      message: 'come back tomorrow',
      step: 'DATA_SOURCE',
      retryAfterSeconds: 86_400,
    } as const;
    await owner.report(generation, 'me', [{ itemId: ITEM.id, failure }]);
    expect(await owner.view()).toMatchObject({ state: 'done', items: { failed: 1 } });
  });

  it('fails an item without progress, and ends a run without progress after ten minutes', async () => {
    const hung = await runWith({ state: 'claimed', consumer: 'me', leaseUntil: Date.now() + 60_000 });
    const longAgo = Date.now() - 11 * 60_000;
    await runInDurableObject(hung.stub, (_instance, state) => {
      state.storage.sql.exec('update item set progressAt = ?', longAgo);
    });
    await runDurableObjectAlarm(hung.stub);
    expect(await hung.owner.view()).toMatchObject({ state: 'done', items: { failed: 1 } });

    const lost = await runWith({ state: 'sent' });
    await runInDurableObject(lost.stub, (_instance, state) => {
      state.storage.sql.exec('update run set progressAt = ?', longAgo);
    });
    await runDurableObjectAlarm(lost.stub);
    const status = await untilFinished(lost.pipelineId);
    expect(status.status).toBe('ERROR');
    expect(status.error?.[0]?.message).toContain('10 minutes');
  });

  it('fails an item after its fourth attempt and ends the run', async () => {
    const { pipelineId, owner, generation } = await runWith({
      state: 'claimed',
      consumer: 'me',
      attempts: 4,
    });
    const failure = { message: 'the provider is down', step: 'INGESTION' } as const;
    await owner.report(generation, 'me', [{ itemId: ITEM.id, failure }]);
    expect(await owner.view()).toMatchObject({ state: 'done', items: { failed: 1 } });
    expect((await statusOf(pipelineId)).status).toBe('SUCCESS');
  });

  it('fails an item that was started four times and never ended, with the reason', async () => {
    const { pipelineId, owner, generation, rows, stub } = await runWith({ state: 'sent' });
    const [file] = (await call<{ file_id: string }[]>('GET', `/api/v1/pipelines/${pipelineId}/files`)).body;
    await rows(`update item set body = json_set(body, '$.fileId', '${file!.file_id}')`);
    for (const start of [1, 2, 3, 4]) {
      await rows("update item set state = 'sent', sentAt = 9e15");
      expect(await owner.claim(generation, ITEM.id, `process ${start}`)).toMatchObject({ go: true });
      await owner.heartbeat(generation, `process ${start}`, true);
      await rows('update item set leaseUntil = 1');
      if (start < 4) await runDurableObjectAlarm(stub);
    }
    // A message that arrives before the alarm gets no fifth start.
    expect(await owner.claim(generation, ITEM.id, 'process 5')).toEqual({ go: false, why: 'drop' });
    await runDurableObjectAlarm(stub);
    expect(await owner.view()).toMatchObject({ state: 'done', items: { failed: 1 } });
    const { error } = await statusOf(pipelineId);
    expect(error?.[0]?.message).toBe(
      'The work was started 4 times and never ended. It probably crashes or blocks its process.',
    );
  });

  it('resets the count of unfinished starts once a start ends', async () => {
    const { owner, generation, rows } = await runWith({ state: 'claimed', consumer: 'dead', leaseUntil: 1 });
    const starts = async () => (await rows('select starts, lost from item'))[0];
    await owner.claim(generation, ITEM.id, 'one');
    expect(await starts()).toEqual({ starts: 1, lost: 1 });
    await rows('update item set starts = 3');
    await owner.report(generation, 'one', [
      { itemId: ITEM.id, failure: { message: 'the provider is down', step: 'INGESTION' } },
    ]);
    expect(await starts()).toEqual({ starts: 0, lost: 1 });
    await owner.cancel();
  });

  it('ends a run with ERROR if its planning never ends', async () => {
    const { pipelineId, owner, generation, rows } = await runWith({ state: 'waiting' });
    await rows("update run set state = 'planning', sourcesRead = 1");
    const found = { id: 'file:2', kind: 'file' as const, fileId: 'file-2' };
    for (let start = 1; start <= 8; start += 1) {
      expect(await owner.assignment(generation)).toBeDefined();
      // The next start finds the same item as the one that died.
      await owner.plan(generation, 'differences', [found], false);
      await rows("update item set state = 'waiting', notBefore = 9e15");
    }
    // The first start made progress because it found an item.
    expect(await owner.assignment(generation)).toBeDefined();
    expect(await owner.assignment(generation)).toBeUndefined();
    const { status, error } = await untilFinished(pipelineId);
    expect(status).toBe('ERROR');
    expect(error?.[0]?.message).toContain('never ended');
  });

  it('reclaims the item of a dead consumer by alarm', async () => {
    const { owner, generation, rows, stub } = await runWith({
      state: 'claimed',
      consumer: 'dead',
      attempts: 1,
      leaseUntil: 1,
    });
    await runDurableObjectAlarm(stub);
    expect((await rows('select consumer from item'))[0]?.consumer).not.toBe('dead');
    expect(await owner.heartbeat(generation, 'dead')).toBe(false);
  });

  it('cancels: no new work starts, the run ends as CANCELLED, and the last index still answers', async () => {
    const pipelineId = await createPipeline();
    await addFiles(pipelineId, { 'old.txt': 'The old index knows about marmalade.' });
    await sync(pipelineId);
    const before = (await statusOf(pipelineId)).job_id;
    const many = Object.fromEntries(
      Array.from({ length: 40 }, (_, n) => [`n${n}.txt`, `Number ${n} `.repeat(2000)]),
    );
    await addFiles(pipelineId, many);
    await call('POST', `/api/v1/pipelines/${pipelineId}/sync`);
    const answer = await call('POST', `/api/v1/pipelines/${pipelineId}/sync/cancel`);
    expect(answer.status).toBe(200);
    const status = await untilFinished(pipelineId, before);
    expect(status.status).toBe('CANCELLED');
    expect(status.counts?.SUCCESS).toBeLessThan(41);
    expect(status.counts?.IN_PROGRESS).toBeUndefined();
    expect((await retrieve(pipelineId, 'marmalade'))[0]?.node.text).toContain('marmalade');
    expect((await sync(pipelineId)).counts).toEqual({ SUCCESS: 41 });
  });

  it('reports no running items after a run with a silent consumer is cancelled', async () => {
    const leaseUntil = Date.now() + 3_600_000;
    const { pipelineId, owner, stub } = await runWith({ state: 'claimed', consumer: 'dead', leaseUntil });
    expect((await statusOf(pipelineId)).progress?.items).toMatchObject({ running: 1 });
    await owner.cancel();
    await runInDurableObject(stub, (_instance, state) => {
      state.storage.sql.exec('update run set cancelledAt = 0');
    });
    await runDurableObjectAlarm(stub);
    const { status, progress } = await statusOf(pipelineId);
    expect(status).toBe('CANCELLED');
    expect(progress?.items).toMatchObject({ running: 0, waiting: 0 });
  });

  it('returns the current run for repeated requests, and starts no further run if nothing changed', async () => {
    const { pipelineId, owner, generation } = await runWith({ state: 'claimed', consumer: 'me' });
    const running = await owner.view();
    for (let n = 0; n < 3; n += 1) {
      const answer = await owner.start(pipelineId, { reason: 'request' });
      expect(answer).toMatchObject({ jobId: running?.jobId, generation });
    }
    await owner.report(generation, 'me', [{ itemId: ITEM.id, outcome: { counters: {} } }]);
    expect(await owner.view()).toMatchObject({ state: 'done', generation });
  });

  it('runs at most once more if something changes during the run', async () => {
    const pipelineId = await createPipeline();
    await addFiles(pipelineId, { 'first.txt': 'first' });
    const owner = await getOwner(pipelineId);
    await call('POST', `/api/v1/pipelines/${pipelineId}/sync`);
    await addFiles(pipelineId, { 'second.txt': 'second' });
    await call('POST', `/api/v1/pipelines/${pipelineId}/sync`);
    for (let waited = 0; waited < PATIENCE_MS; waited += 50) {
      const status = await statusOf(pipelineId);
      if (status.counts?.SUCCESS === 2 && status.status === 'SUCCESS') break;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    expect((await statusOf(pipelineId)).counts).toEqual({ SUCCESS: 2 });
    expect((await owner.view())!.generation).toBeLessThanOrEqual(2);
  });
});

describe('small items of a run', () => {
  const createItem = (n: number): WorkItem => ({
    id: `file:${n}`,
    kind: 'file',
    fileId: `file-${n}`,
    bytes: 100,
  });
  const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `file:${from + n}`);

  /** Creates a run with small items, all sent in the message `together:1`. */
  async function runWithMany(count: number) {
    const run = await runWith({ state: 'waiting' });
    await run.rows('delete from item');
    await run.rows("update run set counters = '{}'");
    await runInDurableObject(run.stub, (_instance, { storage }) => {
      for (let n = 0; n < count; n += 1) {
        const item = createItem(n);
        const columns = '(id, generation, body, bytes, state, sentAs, sentAt, progressAt)';
        storage.sql.exec(
          `insert into item ${columns} values (?, ?, ?, 100, 'sent', 'together:1', 9e15, ?)`,
          ...[item.id, run.generation, JSON.stringify(item), Date.now()],
        );
      }
    });
    const states = () =>
      run.rows('select id, state, attempts, starts, lost, most, sentAs from item order by rowid');
    return { ...run, states };
  }

  it('are claimed with one message, renewed with one heartbeat and reported individually', async () => {
    const { owner, generation, states, rows } = await runWithMany(4);
    const claim = await owner.claim(generation, 'together:1', 'one');
    expect(claim).toMatchObject({ go: true, items: ids(0, 4).map((id) => ({ attempt: 1, item: { id } })) });
    expect(await owner.claim(generation, 'together:1', 'two')).toEqual({ go: false, why: 'busy' });
    await rows('update item set leaseUntil = 5');
    expect(await owner.heartbeat(generation, 'one')).toBe(true);
    expect(await rows('select id from item where leaseUntil < 10')).toEqual([]);
    await owner.report(generation, 'one', [
      { itemId: 'file:0', outcome: { counters: { indexed: 1, chunks: 2 } } },
      { itemId: 'file:1', outcome: { counters: { failed: 1 }, error: { message: 'locked', step: 'PARSE' } } },
      { itemId: 'file:2', failure: { message: 'try later', step: 'INGESTION' } },
      { itemId: 'file:9', outcome: { counters: { stolen: 1 } } },
    ]);
    const [, , again, left] = await states();
    expect(again).toMatchObject({ state: 'waiting', attempts: 1, sentAs: null });
    expect(left).toMatchObject({ state: 'claimed' });
    expect(await owner.view()).toMatchObject({
      items: { done: 1, failed: 1, waiting: 1, claimed: 1 },
      counters: { indexed: 1, chunks: 2, failed: 1, retries: 1 },
    });
    await owner.report(generation, 'one', [{ itemId: 'file:0', outcome: { counters: { indexed: 1 } } }]);
    expect((await owner.view())?.counters.indexed).toBe(1);
    await owner.cancel();
  });

  it('count no attempt if they failed together, and are retried in smaller groups', async () => {
    const { owner, generation, states } = await runWithMany(9);
    await owner.claim(generation, 'together:1', 'one');
    const failure = { message: 'the index is away', step: 'INGESTION', together: true } as const;
    await owner.report(
      generation,
      'one',
      ids(0, 9).map((itemId) => ({ itemId, failure })),
    );
    for (const row of await states()) expect(row).toMatchObject({ state: 'waiting', attempts: 0, most: 3 });
    await owner.cancel();
  });

  it('all succeed except the one that crashes its process', async () => {
    const { owner, generation, stub, rows, states } = await runWithMany(9);
    const culprit = 'file:4';
    const isOpen = async () => (await owner.view())?.state === 'working';
    // The owner is paused. The test reads from its ledger what it would send.
    await rows('update run set pausedUntil = 9e15');
    const sent = () =>
      runInDurableObject(stub, (_instance, { storage }) =>
        new RunLedger(storage)
          .takeForSending({ messages: 99, items: 99 }, Date.now(), 'all')
          .map(({ name }) => name),
      );
    let deaths = 0;
    for (let names = ['together:1']; await isOpen(); names = await sent()) {
      for (const name of names) {
        const consumer = `consumer of ${name} ${deaths}`;
        const claim = await owner.claim(generation, name, consumer);
        if (!claim.go) continue;
        const held = claim.items.map(({ item }) => item.id);
        if (held.includes(culprit)) {
          deaths += 1;
          await rows(`update item set leaseUntil = 1 where consumer = '${consumer}'`);
        } else {
          const outcome = { counters: { indexed: 1 } };
          await owner.report(
            generation,
            consumer,
            held.map((itemId) => ({ itemId, outcome })),
          );
        }
      }
      await runDurableObjectAlarm(stub);
      await rows('update item set notBefore = 0');
    }
    const failed = (await states()).filter(({ state }) => state === 'failed').map(({ id }) => id);
    expect(failed).toEqual([culprit]);
    expect(await owner.view()).toMatchObject({
      state: 'done',
      items: { done: 8, failed: 1 },
      counters: { indexed: 8 },
    });
    // One crash with nine items, one with three, and four alone.
    expect(deaths).toBe(6);
  });

  it('wait behind files that are added during the run', async () => {
    const { pipelineId, owner, generation, rows } = await runWithMany(2);
    await rows("update item set state = 'waiting', sentAs = null, notBefore = 9e15");
    await rows("update item set notBefore = 0 where id = 'file:1'");
    // Nothing is sent while the run is paused.
    await rows('update run set pausedUntil = 9e15');
    const first = [createItem(7), createItem(1)];
    await owner.start(pipelineId, { reason: 'change', first });
    const line = await rows('select id from item order by line, rowid');
    expect(line.map(({ id }) => id)).toEqual(['file:1', 'file:7', 'file:0']);
    expect((await owner.view())?.isFollowed).toBe(true);
    expect((await owner.view())?.generation).toBe(generation);
    await owner.cancel();
  });
});

describe('files added to a pipeline', () => {
  const listRuns = async (id: string) =>
    (
      await call<{ reason: string; counters: Record<string, number> }[]>(
        'GET',
        `/api/v1/pipelines/${id}/jobs`,
      )
    ).body;

  it('are indexed automatically, with several additions in one run', async () => {
    const id = await createPipeline();
    for (const name of ['a', 'b', 'c', 'd']) {
      await addFiles(id, { [`${name}.txt`]: `The file ${name} speaks of marzipan.` });
      expect((await statusOf(id)).status).toBe('IN_PROGRESS');
    }
    expect(await untilFinished(id)).toMatchObject({ status: 'SUCCESS', counts: { SUCCESS: 4 } });
    expect((await listRuns(id)).length).toBeLessThanOrEqual(4);
    expect(await retrieve(id, 'marzipan')).toHaveLength(4);
  });

  it('are indexed by the same run when a sync is requested', async () => {
    const id = await createPipeline();
    const owner = await getOwner(id);
    await addFiles(id, { 'a.txt': 'alpha' });
    const waiting = await owner.view();
    expect(waiting).toMatchObject({ state: 'planning', items: {} });
    const stub = env.PIPELINE_SYNC.get(env.PIPELINE_SYNC.idFromName(id));
    await runInDurableObject(stub, async (_instance, state) => {
      state.storage.sql.exec('update run set planSentAt = -1');
      await state.storage.setAlarm(Date.now() + 3_600_000);
    });
    await addFiles(id, { 'b.txt': 'beta' });
    expect(await sync(id)).toMatchObject({
      status: 'SUCCESS',
      job_id: waiting?.jobId,
      counts: { SUCCESS: 2 },
      progress: { counters: { indexed: 2 } },
    });
    expect(await listRuns(id)).toMatchObject([{ reason: 'request' }]);
  });

  it('keep the status IN_PROGRESS until a run has covered them', async () => {
    const { pipelineId, owner, generation, stub } = await runWith({ state: 'claimed', consumer: 'me' });
    await addFiles(pipelineId, { 'late.txt': 'The late file speaks of nougat.' });
    await runInDurableObject(stub, (_instance, state) => {
      state.storage.sql.exec("update item set state = 'done'");
      state.storage.sql.exec("update run set state = 'done', finishedAt = 1");
    });
    const { status, counts } = await statusOf(pipelineId);
    expect(counts).toEqual({ SUCCESS: 1, NOT_STARTED: 1 });
    expect(status).toBe('IN_PROGRESS');
    await runDurableObjectAlarm(stub);
    expect(await untilFinished(pipelineId)).toMatchObject({ status: 'SUCCESS', counts: { SUCCESS: 2 } });
    expect((await owner.view())!.generation).toBe(generation + 1);
  });

  it('a data source that is attached is read once, and not when it is attached again', async () => {
    const id = await createPipeline();
    const source = await call<{ id: string }>('POST', '/api/v1/data-sources', {
      body: { name: 'bucket', source_type: 'SOURCE_9_BUCKET', component: { note: 'no reader knows this' } },
    });
    const path = `/api/v1/pipelines/${id}/data-sources`;
    const body = [{ data_source_id: source.body.id }];
    await call('PUT', path, { body });
    const first = await untilFinished(id);
    expect(first).toMatchObject({ status: 'ERROR', error: [{ step: 'DATA_SOURCE' }] });
    await call('PUT', path, { body });
    expect((await statusOf(id)).job_id).toBe(first.job_id);
  });
});

describe('the queue dispatcher', () => {
  const batch = (body: unknown, queue = 'sluice-ingestion') => {
    const events: string[] = [];
    const message = {
      id: '1',
      timestamp: new Date(),
      attempts: 1,
      body,
      ack: () => events.push('ack'),
      retry: () => events.push('retry'),
    };
    return {
      events,
      batch: { queue, messages: [message], ackAll() {}, retryAll() {} } as unknown as MessageBatch,
    };
  };

  it('leaves an item to its consumer if a second message of the item becomes a dead letter', async () => {
    const leaseUntil = Date.now() + 60_000;
    const { pipelineId, owner, generation } = await runWith({ state: 'claimed', consumer: 'me', leaseUntil });
    const body = { type: 'ingest-file', pipelineId, generation, itemId: ITEM.id };
    await dispatch(batch(body, 'sluice-dead-letter').batch, env, execution);
    expect(await owner.heartbeat(generation, 'me')).toBe(true);
    await owner.cancel();
  });

  it('fails an item whose message becomes a dead letter', async () => {
    const { pipelineId, owner, generation } = await runWith({ state: 'sent' });
    const body = { type: 'ingest-file', pipelineId, generation, itemId: ITEM.id };
    const { events, batch: dead } = batch(body, 'sluice-dead-letter');
    await dispatch(dead, env, execution);
    expect(events).toEqual(['ack']);
    expect(await owner.view()).toMatchObject({ state: 'done', items: { failed: 1 } });
  });
});
