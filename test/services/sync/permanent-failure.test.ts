import { runInDurableObject } from 'cloudflare:test';
import { env } from 'cloudflare:workers';
import { expect, it } from 'vitest';
import { addFiles, createPipeline, statusOf, sync } from '#test/support/pipelines.ts';

it('vectors of another dimension fail without a retry', async () => {
  const id = await createPipeline();
  await addFiles(id, { 'first.txt': 'The gull eats herring.' });
  await sync(id);
  const index = await env.DB.prepare('select id from pipeline_indexes where pipeline_id = ?')
    .bind(id)
    .first();
  const shard = env.SEARCH_SHARD.get(env.SEARCH_SHARD.idFromName(`${index?.id}/0`));
  await runInDurableObject(shard, (_object, { storage }) =>
    storage.sql.exec("update setting set value = 7 where name = 'dimension'"),
  );
  await addFiles(id, { 'second.txt': 'The heron eats frogs.' });
  const { progress, error } = await sync(id);
  expect((await statusOf(id)).counts).toEqual({ SUCCESS: 1, ERROR: 1 });
  expect(error?.[0]?.message).toContain('7 dimensions');
  expect(progress?.counters.retries).toBeUndefined();
});
