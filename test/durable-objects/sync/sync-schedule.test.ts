import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import type { ScheduledRead } from '#objects/sync/sync-schedule.ts';
import { call } from '#test/support/client.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { createPipeline, untilFinished } from '#test/support/pipelines.ts';

/** Creates a pipeline with a scheduled source that cannot be read. Only the time of the attempt matters. */
async function scheduled(interval: number | null) {
  const pipelineId = await createPipeline();
  const source = await call<{ id: string }>('POST', '/api/v1/data-sources', {
    body: { name: crypto.randomUUID(), source_type: 'SOURCE_10_CHAT', component: { chat_token: 'x' } },
  });
  const path = `/api/v1/pipelines/${pipelineId}/data-sources`;
  const added = await call<{ sync_schedule_set_by: string | null }[]>('PUT', path, {
    body: [{ data_source_id: source.body.id, sync_interval: interval }],
  });
  const stub = env.PIPELINE_SYNC.get(env.PIPELINE_SYNC.idFromName(pipelineId));
  // Deletes the run that read the source when it was attached, so that only scheduled runs count.
  await untilFinished(pipelineId);
  await runInDurableObject(stub, (_object, { storage }) => {
    storage.sql.exec('delete from item');
    storage.sql.exec('delete from run');
  });
  await env.DB.prepare('delete from sync_runs where pipeline_id = ?').bind(pipelineId).run();
  return {
    pipelineId,
    sourceId: source.body.id,
    path,
    setBy: added.body[0]?.sync_schedule_set_by,
    stub,
    appointments: () =>
      runInDurableObject(
        stub,
        async (_object, state) => (await state.storage.get<ScheduledRead[]>('schedule')) ?? [],
      ),
    alarm: () => runInDurableObject(stub, (_object, state) => state.storage.getAlarm()),
    /** Simulates that the interval has passed. */
    passTime: () =>
      runInDurableObject(stub, async (_object, state) => {
        const all = (await state.storage.get<ScheduledRead[]>('schedule')) ?? [];
        await state.storage.put(
          'schedule',
          all.map((each) => ({ ...each, nextAt: Date.now() - 1 })),
        );
      }),
    runs: async () =>
      (
        await env.DB.prepare('select reason, status from sync_runs where pipeline_id = ? order by generation')
          .bind(pipelineId)
          .all<{ reason: string; status: string }>()
      ).results,
  };
}

describe('schedules of data sources', () => {
  it('are stored with their creator, and become due after the interval plus a small delay', async () => {
    const now = Date.now();
    const { appointments, alarm, setBy, sourceId } = await scheduled(600);
    expect(setBy).toEqual(expect.any(String));
    const [appointment] = await appointments();
    expect(appointment).toMatchObject({ dataSourceId: sourceId, intervalMs: 600_000 });
    expect(appointment!.nextAt).toBeGreaterThanOrEqual(now + 600_000);
    expect(appointment!.nextAt).toBeLessThanOrEqual(Date.now() + 660_000);
    expect(await alarm()).toBe(appointment!.nextAt);
  });

  it('start a run by alarm, and schedule the next one', async () => {
    const { pipelineId, appointments, passTime, stub, runs } = await scheduled(60);
    await passTime();
    const before = Date.now();
    await runDurableObjectAlarm(stub);
    await untilFinished(pipelineId);
    expect(await runs()).toEqual([{ reason: 'schedule', status: 'ERROR' }]);
    expect((await appointments())[0]?.nextAt).toBeGreaterThanOrEqual(before + 60_000);
  });

  it('survive an eviction of the Durable Object', async () => {
    const { pipelineId, appointments, passTime, stub, runs } = await scheduled(60);
    await passTime();
    await evictDurableObject(stub);
    await runDurableObjectAlarm(stub);
    await untilFinished(pipelineId);
    expect(await runs()).toEqual([{ reason: 'schedule', status: 'ERROR' }]);
    await evictDurableObject(stub);
    expect(await appointments()).toMatchObject([{ intervalMs: 60_000 }]);
  });

  it('never overlap: a source that is due during a run is read by one run afterwards', async () => {
    const { pipelineId, passTime, stub, runs } = await scheduled(60);
    await runInDurableObject(stub, (object, state) => {
      const { start } = object as unknown as { start(id: string, request: object): Promise<unknown> };
      return start.call(object, pipelineId, { reason: 'request', sources: [] }).then(() => {
        // The run is working, but nothing continues it until the alarm fires.
        state.storage.sql.exec("update run set state = 'working'");
        state.storage.sql.exec(
          'insert into item (id, generation, body, state, consumer, leaseUntil, progressAt) values (\'x\', 1, \'{"kind":"removal","documentId":"x"}\', \'claimed\', \'me\', ?, ?)',
          Date.now() + 60_000,
          Date.now(),
        );
      });
    });
    for (let n = 0; n < 2; n += 1) {
      await passTime();
      await runDurableObjectAlarm(stub);
    }
    expect(await runs()).toHaveLength(1);
    await runInDurableObject(stub, (_object, state) => {
      state.storage.sql.exec("update item set state = 'done'");
    });
    await runDurableObjectAlarm(stub);
    for (let waited = 0; (await runs()).length < 2 && waited < PATIENCE_MS; waited += 50) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    await untilFinished(pipelineId);
    expect((await runs()).length).toBe(2);
  });

  it('end when the interval is removed or the source leaves the pipeline', async () => {
    const one = await scheduled(60);
    await call('PUT', `${one.path}/${one.sourceId}`, { body: { sync_interval: null } });
    expect(await one.appointments()).toEqual([]);
    const other = await scheduled(60);
    await call('DELETE', `${other.path}/${other.sourceId}`);
    expect(await other.appointments()).toEqual([]);
  });
});
