import { describe, expect, it } from 'vitest';
import { call } from '#test/support/client.ts';
import { PATIENCE_MS } from '#test/support/patience.ts';
import { addFiles, createPipeline, statusOf, sync, untilFinished } from '#test/support/pipelines.ts';
import { createTenant } from '#test/support/tenants.ts';

interface Source {
  id: string;
  data_source_id: string;
  status: string;
  sync_interval: number | null;
  sync_schedule_set_by: string | null;
  last_synced_at: string;
  created_at: string;
}

async function createSource(key?: string): Promise<string> {
  const body = {
    name: `bucket ${crypto.randomUUID()}`,
    source_type: 'SOURCE_8_PAGE',
    // The component is free-form, so no reader can use it.
    component: { note: 'reports', api_token: 'top-secret' },
  };
  const answer = await call<{ id: string }>('POST', '/api/v1/data-sources', { body, ...(key && { key }) });
  expect(answer.status).toBe(200);
  return answer.body.id;
}

const add = (pipeline: string, body: unknown) =>
  call<Source[]>('PUT', `/api/v1/pipelines/${pipeline}/data-sources`, { body });

describe('data sources of a pipeline', () => {
  it('can be added once, listed, scheduled and unscheduled', async () => {
    const [id, source] = await Promise.all([createPipeline(), createSource()]);
    const added = await add(id, [{ data_source_id: source, sync_interval: 21600 }]);
    expect(added.status).toBe(200);
    expect(added.body).toEqual([
      expect.objectContaining({
        data_source_id: source,
        pipeline_id: id,
        status: 'NOT_STARTED',
        sync_interval: 21600,
        sync_schedule_set_by: expect.any(String),
        last_synced_at: added.body[0]!.created_at,
        source_type: 'SOURCE_8_PAGE',
        component: expect.objectContaining({ note: 'reports', api_token: '********' }),
      }),
    ]);
    await add(id, [{ data_source_id: source }]);
    const path = `/api/v1/pipelines/${id}/data-sources`;
    const listed = await call<Source[]>('GET', path);
    expect(listed.body).toHaveLength(1);
    expect(listed.body[0]).toMatchObject({ id: added.body[0]!.id, sync_interval: 21600 });
    const changed = await call<Source>('PUT', `${path}/${source}`, { body: { sync_interval: 60 } });
    expect(changed.body).toMatchObject({ sync_interval: 60 });
    const ended = await call<Source>('PUT', `${path}/${source}`, { body: { sync_interval: null } });
    expect(ended.body).toMatchObject({ sync_interval: null, sync_schedule_set_by: null });
    for (const wrong of [59, 60.5, '60', -1]) {
      expect((await call('PUT', `${path}/${source}`, { body: { sync_interval: wrong } })).status).toBe(422);
    }
  });

  it('without a working reader end in ERROR, with the reason in the status', async () => {
    const [id, source] = await Promise.all([createPipeline(), createSource()]);
    await add(id, [{ data_source_id: source }]);
    await addFiles(id, { 'a.txt': 'A file that was uploaded by hand.' });
    const started = await call('POST', `/api/v1/pipelines/${id}/data-sources/${source}/sync`);
    expect(started.status).toBe(200);
    expect(started.body).toMatchObject({ id });
    const status = await untilFinished(id);
    expect(status.status).toBe('PARTIAL_SUCCESS');
    expect(status.error).toEqual([
      { job_id: status.job_id, step: 'DATA_SOURCE', message: expect.stringContaining('SOURCE_8_PAGE') },
    ]);
    const own = await call('GET', `/api/v1/pipelines/${id}/data-sources/${source}/status`);
    expect(own.body).toMatchObject({
      status: 'ERROR',
      job_id: status.job_id,
      deployment_date: expect.stringMatching(/^20/),
      error: [{ step: 'DATA_SOURCE' }],
    });
    const { body: run } = await call<object>('GET', `/api/v1/pipelines/${id}/status`);
    expect(own.body).toMatchObject({ deployment_date: (run as { deployment_date: string }).deployment_date });
    const body = { pipeline_file_ids: [crypto.randomUUID()] };
    expect((await call('POST', `/api/v1/pipelines/${id}/data-sources/${source}/sync`, { body })).status).toBe(
      422,
    );
  });

  it('requested during a sync are read by the next sync', async () => {
    const [id, source] = await Promise.all([createPipeline(), createSource()]);
    await add(id, [{ data_source_id: source }]);
    await addFiles(id, Object.fromEntries(Array.from({ length: 8 }, (_, n) => [`${n}.txt`, `Text ${n}`])));
    const path = `/api/v1/pipelines/${id}/data-sources/${source}`;
    await call('POST', `/api/v1/pipelines/${id}/sync`);
    await call('POST', `${path}/sync`);
    for (let waited = 0; ; waited += 50) {
      const { status } = (await call<{ status: string }>('GET', `${path}/status`)).body;
      const run = await statusOf(id);
      if (status === 'ERROR' && run.status !== 'IN_PROGRESS') break;
      expect(waited).toBeLessThan(PATIENCE_MS);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  });

  it('can be removed, and the next sync succeeds', async () => {
    const [id, source] = await Promise.all([createPipeline(), createSource()]);
    await add(id, [{ data_source_id: source }]);
    expect((await call('DELETE', `/api/v1/data-sources/${source}`)).status).toBe(409);
    expect((await call('DELETE', `/api/v1/pipelines/${id}/data-sources/${source}`)).status).toBe(204);
    expect((await call('GET', `/api/v1/pipelines/${id}/data-sources`)).body).toEqual([]);
    expect((await call('GET', `/api/v1/pipelines/${id}/data-sources/${source}/status`)).status).toBe(404);
    expect((await sync(id)).status).toBe('SUCCESS');
  });

  it('reject unknown sources, malformed requests, missing keys and other tenants', async () => {
    const [id, source] = await Promise.all([createPipeline(), createSource()]);
    const { key } = await createTenant();
    const foreign = await createSource(key);
    for (const unknown of [foreign, crypto.randomUUID()]) {
      const refused = await add(id, [{ data_source_id: source }, { data_source_id: unknown }]);
      expect(refused.status).toBe(422);
      expect(JSON.stringify(refused.body)).toContain(unknown);
    }
    expect((await call('GET', `/api/v1/pipelines/${id}/data-sources`)).body).toEqual([]);
    expect((await add(id, { data_source_id: source })).status).toBe(422);
    const one = `/api/v1/pipelines/${id}/data-sources/${source}`;
    for (const [method, path, body] of [
      ['GET', `/api/v1/pipelines/${id}/data-sources`, undefined],
      ['PUT', `/api/v1/pipelines/${id}/data-sources`, []],
      ['PUT', one, {}],
      ['GET', `${one}/status`, undefined],
      ['POST', `${one}/sync`, undefined],
      ['DELETE', one, undefined],
    ] as const) {
      expect((await call(method, path, { key, ...(body && { body }) })).status, `${method} ${path}`).toBe(
        404,
      );
      expect((await call(method, path, { key: null, ...(body && { body }) })).status).toBe(401);
    }
  });
});
