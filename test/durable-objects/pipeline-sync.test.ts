import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it, vi } from 'vitest';
import { ingestFile } from '#queues/ingest-file.ts';
import { createContext } from '#src/context/context.ts';
import type { SyncOwner, WorkItem } from '#src/work/sync-owner.ts';
import { call } from '#test/support/client.ts';
import {
  addFiles,
  createPipeline,
  retrieve,
  statusOf,
  sync,
  untilFinished,
} from '#test/support/pipelines.ts';
import { createRunWithItem, execution, getOwner, ITEM } from './pipeline-sync.ts';

describe('the owner of a sync', () => {
  it('gives an item to one consumer, and ignores results of other consumers', async () => {
    const { owner, generation, rows } = await createRunWithItem({ state: 'sent' });
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
    const { owner, generation, rows } = await createRunWithItem({ state: 'sent' });
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
    const { pipelineId, stub, generation, rows } = await createRunWithItem({ state: 'sent' });
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
    const { owner, generation, stub } = await createRunWithItem({ state: 'sent' });
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
    const { owner, generation, stub, rows } = await createRunWithItem({ state: 'claimed', consumer: 'one' });
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

  it('gives each claim a higher version than all earlier claims', async () => {
    const { owner, generation } = await createRunWithItem({
      state: 'claimed',
      consumer: 'dead',
      leaseUntil: 1,
    });
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
});
