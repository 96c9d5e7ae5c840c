import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { call, upload } from '#test/support/client.ts';
import { dumpDatabase } from '#test/support/dump.ts';
import { emptyService } from '#test/support/empty-service.ts';
import { createPipeline } from '#test/support/pipelines.ts';

it('clears the database, the bucket and all alarms, and accepts the first API key', async () => {
  const pipelineId = await createPipeline();
  const fileId = await upload('gull.txt', 'The gull eats herring.');
  const owner = () => env.PIPELINE_SYNC.get(env.PIPELINE_SYNC.idFromName(pipelineId));
  const alarm = () => runInDurableObject(owner(), (_object, { storage }) => storage.getAlarm());
  await runInDurableObject(owner(), (_object, { storage }) => storage.setAlarm(Date.now() + 3_600_000));
  expect(await dumpDatabase()).toContain(pipelineId);
  expect((await env.FILES.list()).objects).not.toEqual([]);
  expect(await alarm()).not.toBeNull();

  await emptyService();
  const database = await dumpDatabase();
  expect([database.includes(pipelineId), database.includes(fileId)]).toEqual([false, false]);
  expect((await env.FILES.list()).objects).toEqual([]);
  expect(await alarm()).toBeNull();
  expect((await call<unknown[]>('GET', '/api/v1/pipelines')).body).toEqual([]);
});
