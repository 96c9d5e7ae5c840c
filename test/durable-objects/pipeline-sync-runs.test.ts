import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { call } from '#test/support/client.ts';
import {
  addFiles,
  createPipeline,
  retrieve,
  statusOf,
  sync,
  untilFinished,
} from '#test/support/pipelines.ts';
import { createRunWithItem, getOwner, ITEM } from './pipeline-sync.ts';

describe('the owner of a sync', () => {
  it('drops the follow-up run if the current run is cancelled while it ends', async () => {
    const { owner, stub, rows } = await createRunWithItem({ state: 'waiting' });
    const again = JSON.stringify({ sources: [], fileIds: null });
    await runInDurableObject(stub, (_object, state) => {
      state.storage.sql.exec("update run set state = 'concluding', again = ?", again);
    });
    await owner.cancel();
    expect(await rows('select again from run')).toEqual([{ again: null }]);
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
    const { pipelineId, owner, stub } = await createRunWithItem({
      state: 'claimed',
      consumer: 'dead',
      leaseUntil,
    });
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
    const { pipelineId, owner, generation } = await createRunWithItem({ state: 'claimed', consumer: 'me' });
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
    await expect
      .poll(() => statusOf(pipelineId))
      .toMatchObject({ status: 'SUCCESS', counts: { SUCCESS: 2 } });
    expect((await statusOf(pipelineId)).counts).toEqual({ SUCCESS: 2 });
    expect((await owner.view())!.generation).toBeLessThanOrEqual(2);
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
    const { pipelineId, owner, generation, stub } = await createRunWithItem({
      state: 'claimed',
      consumer: 'me',
    });
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
