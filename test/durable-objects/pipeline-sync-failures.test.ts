import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { dispatch } from '#queues/dispatch.ts';
import { call } from '#test/support/client.ts';
import { statusOf, untilFinished } from '#test/support/pipelines.ts';
import { createRunWithItem, execution, ITEM } from './pipeline-sync.ts';

describe('the owner of a sync', () => {
  it('reschedules a released item after the requested delay', async () => {
    const { owner, generation, rows } = await createRunWithItem({
      state: 'claimed',
      consumer: 'me',
      attempts: 1,
    });
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
    const { owner, generation, rows } = await createRunWithItem({
      state: 'claimed',
      consumer: 'me',
      attempts: 4,
    });
    const failure = { message: 'slow down', step: 'INGESTION', retryAfterSeconds: 30 } as const;
    const before = Date.now();
    await owner.report(generation, 'me', [{ itemId: ITEM.id, failure }]);
    expect((await rows('select state, attempts from item'))[0]).toEqual({ state: 'waiting', attempts: 3 });
    const [run] = await rows('select pausedUntil from run');
    expect(Number(run?.pausedUntil)).toBeGreaterThanOrEqual(before + 30_000);
    expect((await owner.view())?.counters).toMatchObject({ retries: 1, throttled: 1 });
    await owner.cancel();
  });

  it('fails an item whose requested delay is too long', async () => {
    const { owner, generation } = await createRunWithItem({ state: 'claimed', consumer: 'me', attempts: 1 });
    const failure = {
      message: 'come back tomorrow',
      step: 'DATA_SOURCE',
      retryAfterSeconds: 86_400,
    } as const;
    await owner.report(generation, 'me', [{ itemId: ITEM.id, failure }]);
    expect(await owner.view()).toMatchObject({ state: 'done', items: { failed: 1 } });
  });

  it('fails an item without progress, and ends a run without progress after ten minutes', async () => {
    const hung = await createRunWithItem({
      state: 'claimed',
      consumer: 'me',
      leaseUntil: Date.now() + 60_000,
    });
    const longAgo = Date.now() - 11 * 60_000;
    await runInDurableObject(hung.stub, (_instance, state) => {
      state.storage.sql.exec('update item set progressAt = ?', longAgo);
    });
    await runDurableObjectAlarm(hung.stub);
    expect(await hung.owner.view()).toMatchObject({ state: 'done', items: { failed: 1 } });

    const lost = await createRunWithItem({ state: 'sent' });
    await runInDurableObject(lost.stub, (_instance, state) => {
      state.storage.sql.exec('update run set progressAt = ?', longAgo);
    });
    await runDurableObjectAlarm(lost.stub);
    const status = await untilFinished(lost.pipelineId);
    expect(status.status).toBe('ERROR');
    expect(status.error?.[0]?.message).toContain('10 minutes');
  });

  it('fails an item after its fourth attempt and ends the run', async () => {
    const { pipelineId, owner, generation } = await createRunWithItem({
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
    const { pipelineId, owner, generation, rows, stub } = await createRunWithItem({ state: 'sent' });
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
    const { owner, generation, rows } = await createRunWithItem({
      state: 'claimed',
      consumer: 'dead',
      leaseUntil: 1,
    });
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
    const { pipelineId, owner, generation, rows } = await createRunWithItem({ state: 'waiting' });
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
    const { owner, generation, rows, stub } = await createRunWithItem({
      state: 'claimed',
      consumer: 'dead',
      attempts: 1,
      leaseUntil: 1,
    });
    await runDurableObjectAlarm(stub);
    expect((await rows('select consumer from item'))[0]?.consumer).not.toBe('dead');
    expect(await owner.heartbeat(generation, 'dead')).toBe(false);
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
    const { pipelineId, owner, generation } = await createRunWithItem({
      state: 'claimed',
      consumer: 'me',
      leaseUntil,
    });
    const body = { type: 'ingest-file', pipelineId, generation, itemId: ITEM.id };
    await dispatch(batch(body, 'sluice-dead-letter').batch, env, execution);
    expect(await owner.heartbeat(generation, 'me')).toBe(true);
    await owner.cancel();
  });

  it('fails an item whose message becomes a dead letter', async () => {
    const { pipelineId, owner, generation } = await createRunWithItem({ state: 'sent' });
    const body = { type: 'ingest-file', pipelineId, generation, itemId: ITEM.id };
    const { events, batch: dead } = batch(body, 'sluice-dead-letter');
    await dispatch(dead, env, execution);
    expect(events).toEqual(['ack']);
    expect(await owner.view()).toMatchObject({ state: 'done', items: { failed: 1 } });
  });
});
