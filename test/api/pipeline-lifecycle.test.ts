import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { call } from '#test/support/client.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { addFiles, createPipeline, retrieve, sync, untilFinished } from '#test/support/pipelines.ts';
import { createTenant } from '#test/support/tenants.ts';

const TEXT = 'The lighthouse of Kestrel Bay burns 40 litres of oil each night.';

async function filled(): Promise<string> {
  const id = await createPipeline();
  await addFiles(id, { 'light.txt': TEXT });
  expect((await sync(id)).status).toBe('SUCCESS');
  return id;
}

async function untilGone(id: string): Promise<void> {
  for (let waited = 0; waited < PATIENCE_MS; waited += 50) {
    if ((await call('GET', `/api/v1/pipelines/${id}`)).status === 404) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('the pipeline is still there');
}

async function countRows(id: string): Promise<number> {
  const counts = await env.DB.prepare(
    `select (select count(*) from pipelines where id = ?1)
       + (select count(*) from pipeline_members where pipeline_id = ?1)
       + (select count(*) from pipeline_indexes where pipeline_id = ?1)
       + (select count(*) from sync_runs where pipeline_id = ?1) as n`,
  )
    .bind(id)
    .first<{ n: number }>();
  return counts!.n;
}

describe('deleting a pipeline', () => {
  it('makes it unavailable immediately, and removes everything', async () => {
    const id = await filled();
    const inserted = await call('POST', `/api/v1/pipelines/${id}/documents`, {
      body: [{ id: 'd', text: 'A note about oil.', metadata: {} }],
    });
    expect(inserted.status).toBe(200);
    await untilFinished(id);
    const index = await env.DB.prepare('select id from pipeline_indexes where pipeline_id = ?')
      .bind(id)
      .first<{ id: string }>();
    expect((await call('DELETE', `/api/v1/pipelines/${id}`)).status).toBe(204);
    for (const [method, path, body] of [
      ['POST', '/retrieve', { query: 'oil' }],
      ['POST', '/chat', { messages: [{ role: 'user', content: 'oil?' }] }],
      ['PUT', '', { name: 'other' }],
      ['POST', '/sync', undefined],
    ] as const) {
      const answer = await call(method, `/api/v1/pipelines/${id}${path}`, { ...(body && { body }) });
      expect([404, 409], `${method} ${path}`).toContain(answer.status);
    }
    await untilGone(id);
    expect(await countRows(id)).toBe(0);
    const prefix = `projects/`;
    const { objects } = await env.FILES.list({ prefix });
    expect(objects.filter(({ key }) => key.includes(id))).toEqual([]);
    const shard = env.SEARCH_SHARD.get(env.SEARCH_SHARD.idFromName(`${index!.id}/0`));
    const stats = await (shard as unknown as { stats(): Promise<{ chunks: number }> }).stats();
    expect(stats.chunks).toBe(0);
  });

  it('makes its name available immediately', async () => {
    const id = await filled();
    const { name } = (await call<{ name: string }>('GET', `/api/v1/pipelines/${id}`)).body;
    expect((await call('POST', '/api/v1/pipelines', { body: { name } })).status).toBe(409);
    await call('DELETE', `/api/v1/pipelines/${id}`);
    const next = await call<{ id: string }>('PUT', '/api/v1/pipelines', { body: { name } });
    expect(next.status).toBe(200);
    expect(next.body.id).not.toBe(id);
  });

  it('can be repeated', async () => {
    const id = await createPipeline();
    expect((await call('DELETE', `/api/v1/pipelines/${id}`)).status).toBe(204);
    expect([204, 404]).toContain((await call('DELETE', `/api/v1/pipelines/${id}`)).status);
    await untilGone(id);
    expect((await call('DELETE', `/api/v1/pipelines/${id}`)).status).toBe(404);
  });

  it('is completed after an interruption', async () => {
    const id = await filled();
    // Simulates a process that died during the deletion, after it stored the erasure and an alarm.
    const owner = env.PIPELINE_SYNC.get(env.PIPELINE_SYNC.idFromName(id));
    const { runInDurableObject } = await import('cloudflare:test');
    await runInDurableObject(owner, async (_object, state) => {
      await state.storage.put('erasure', { pipelineId: id, waitUntil: 0 });
      await state.storage.setAlarm(Date.now());
    });
    await untilGone(id);
    expect(await countRows(id)).toBe(0);
  });

  it('with force removes everything within the request, even during a sync', async () => {
    const id = await createPipeline();
    await addFiles(
      id,
      Object.fromEntries(Array.from({ length: 12 }, (_, n) => [`${n}.txt`, `${TEXT} ${n}`])),
    );
    await call('POST', `/api/v1/pipelines/${id}/sync`);
    expect((await call('POST', `/api/v1/pipelines/${id}/force-delete`)).status).toBe(204);
    expect((await call('GET', `/api/v1/pipelines/${id}`)).status).toBe(404);
    expect(await countRows(id)).toBe(0);
  });

  it('requires a key, and answers 404 to another tenant', async () => {
    const id = await createPipeline();
    const { key } = await createTenant();
    for (const [method, path] of [
      ['DELETE', ''],
      ['POST', '/force-delete'],
      ['POST', '/copy'],
    ] as const) {
      expect((await call(method, `/api/v1/pipelines/${id}${path}`, { key: null })).status).toBe(401);
      expect((await call(method, `/api/v1/pipelines/${id}${path}`, { key })).status).toBe(404);
      expect((await call(method, `/api/v1/pipelines/nonsense${path}`)).status).toBe(422);
    }
  });
});

describe('copying a pipeline', () => {
  it('copies configuration and members under a new name and into a separate index', async () => {
    const parse_parameters = { page_separator: '\n==\n', premium_llm_api_key: 'sk-very-secret' };
    const id = await createPipeline({
      parse_parameters,
      metadata_config: { excluded_llm_metadata_keys: ['x'] },
    });
    const [fileId] = await addFiles(id, { 'light.txt': TEXT });
    await call('POST', `/api/v1/pipelines/${id}/documents`, {
      body: [{ id: 'd', text: 'A note about the ferry timetable.', metadata: { kind: 'note' } }],
    });
    await untilFinished(id);
    const original = (await call<{ name: string }>('GET', `/api/v1/pipelines/${id}`)).body;
    const copied = await call<{ id: string; name: string }>('POST', `/api/v1/pipelines/${id}/copy`);
    expect(copied.status).toBe(200);
    expect(copied.body).toMatchObject({
      name: `${original.name} (copy)`,
      parse_parameters: { page_separator: '\n==\n', premium_llm_api_key: '********' },
      metadata_config: { excluded_llm_metadata_keys: ['x'] },
      status: 'CREATED',
    });
    const status = await untilFinished(copied.body.id);
    expect(status).toMatchObject({ status: 'SUCCESS', counts: { SUCCESS: 2 } });
    expect((await retrieve(copied.body.id, 'oil each night'))[0]?.node.extra_info).toMatchObject({
      file_id: fileId,
      pipeline_id: copied.body.id,
    });
    await call('POST', `/api/v1/pipelines/${id}/force-delete`);
    expect((await retrieve(copied.body.id, 'ferry timetable'))[0]?.node.text).toContain('ferry');
    const again = await call<{ name: string }>('POST', `/api/v1/pipelines/${copied.body.id}/copy`);
    expect(again.body.name).toBe(`${original.name} (copy) (copy)`);
    const third = await call<{ name: string }>('POST', `/api/v1/pipelines/${copied.body.id}/copy`);
    expect(third.body.name).toBe(`${original.name} (copy) (copy 2)`);
  });

  it('keeps the order of documents', async () => {
    const id = await createPipeline();
    const ids = Array.from({ length: 20 }, (_, n) => `${(n * 7) % 20}`);
    const body = ids.map((each) => ({ id: each, text: 'A note.', metadata: {} }));
    expect((await call('POST', `/api/v1/pipelines/${id}/documents`, { body })).status).toBe(200);
    const copy = await call<{ id: string }>('POST', `/api/v1/pipelines/${id}/copy`);
    for (const pipelineId of [id, copy.body.id]) {
      const listed = await call<{ id: string }[]>(
        'GET',
        `/api/v1/pipelines/${pipelineId}/documents?limit=50`,
      );
      expect(listed.body.map((document) => document.id)).toEqual(ids);
    }
  });
});
