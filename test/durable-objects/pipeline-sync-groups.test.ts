import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { describe, expect, it } from 'vitest';
import { RunLedger } from '#objects/sync/run-ledger.ts';
import { createRunWithSmallItems, createSmallItem } from './pipeline-sync.ts';

/** Maximum number of rounds in which a test sends all waiting items. Six rounds are enough to end the run. */
const MOST_ROUNDS = 20;

describe('small items of a run', () => {
  const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, n) => `file:${from + n}`);

  it('are claimed with one message, renewed with one heartbeat and reported individually', async () => {
    const { owner, generation, states, rows } = await createRunWithSmallItems(4);
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
    const { owner, generation, states } = await createRunWithSmallItems(9);
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
    const { owner, generation, stub, rows, states } = await createRunWithSmallItems(9);
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
    let names = ['together:1'];
    for (let round = 0; (await isOpen()) && round < MOST_ROUNDS; round += 1) {
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
      names = await sent();
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
    const { pipelineId, owner, generation, rows } = await createRunWithSmallItems(2);
    await rows("update item set state = 'waiting', sentAs = null, notBefore = 9e15");
    await rows("update item set notBefore = 0 where id = 'file:1'");
    // Nothing is sent while the run is paused.
    await rows('update run set pausedUntil = 9e15');
    const first = [createSmallItem(7), createSmallItem(1)];
    await owner.start(pipelineId, { reason: 'change', first });
    const line = await rows('select id from item order by line, rowid');
    expect(line.map(({ id }) => id)).toEqual(['file:1', 'file:7', 'file:0']);
    expect((await owner.view())?.isFollowed).toBe(true);
    expect((await owner.view())?.generation).toBe(generation);
    await owner.cancel();
  });

  it('are overtaken by added files while the run is being planned, as soon as it has items', async () => {
    const { pipelineId, owner, generation, rows, states } = await createRunWithSmallItems(0);
    await rows(
      `update run set state = 'planning', pausedUntil = 9e15, sourcesRead = 1, scope = '{"sources":[],"fileIds":null}'`,
    );
    const add = (...items: number[]) =>
      owner.start(pipelineId, { reason: 'change', first: items.map(createSmallItem) });
    await add(0);
    expect(await states()).toEqual([]);
    expect(await owner.plan(generation, 'differences', [createSmallItem(1), createSmallItem(2)], false)).toBe(
      true,
    );
    await add(2, 3);
    const line = await rows('select id from item order by line, rowid');
    expect(line.map(({ id }) => id)).toEqual(['file:2', 'file:3', 'file:1']);
    expect((await owner.view())?.isFollowed).toBe(true);
    await owner.cancel();
  });

  it('are not joined by added files while data sources are being read', async () => {
    const { pipelineId, owner, rows, states } = await createRunWithSmallItems(1);
    await rows(
      `update run set state = 'planning', pausedUntil = 9e15, scope = '{"sources":["a"],"fileIds":null}'`,
    );
    await owner.start(pipelineId, { reason: 'change', first: [createSmallItem(5)] });
    expect((await states()).map(({ id }) => id)).toEqual(['file:0']);
    await owner.cancel();
  });

  it('are processed again if they are added or planned once more after they have ended', async () => {
    const { pipelineId, owner, generation, rows, states } = await createRunWithSmallItems(5);
    await rows('update run set pausedUntil = 9e15');
    await rows("update item set state = 'done', starts = 0 where id in ('file:0', 'file:1', 'file:2')");
    await rows("update item set state = 'failed' where id = 'file:3'");
    await rows(
      "insert into item (id, generation, body, parent, state) values ('part', 1, '{}', 'file:2', 'done')",
    );
    const first = [0, 2, 3, 4].map(createSmallItem);
    await owner.start(pipelineId, { reason: 'change', first });
    const stateOf = async () => Object.fromEntries((await states()).map(({ id, state }) => [id, state]));
    expect(await stateOf()).toMatchObject({
      'file:0': 'waiting',
      'file:1': 'done',
      'file:2': 'done',
      'file:3': 'waiting',
      'file:4': 'sent',
    });
    await rows("update run set state = 'planning', sourcesRead = 1");
    await rows("update item set state = 'failed' where id = 'file:3'");
    await owner.plan(generation, 'differences', [createSmallItem(1), createSmallItem(3)], false);
    expect(await stateOf()).toMatchObject({ 'file:1': 'waiting', 'file:3': 'failed' });
    await owner.cancel();
  });
});
