import { env } from 'cloudflare:workers';
import { beforeAll, describe, expect, it } from 'vitest';
import { call, upload } from '#test/support/client.ts';
import { createPipeline } from '#test/support/pipelines.ts';
import { createTenant, type Tenant } from '#test/support/tenants.ts';

interface Thing {
  id: string;
  detail: string;
  [member: string]: unknown;
}

const path = '/api/v1/pipelines';
const named = () => `thing ${crypto.randomUUID()}`;
const sink = () => ({ name: named(), sink_type: 'VENDOR_C', component: { uri: 'https://h.example' } });
const config = () => ({ name: named(), embedding_config: { type: 'PROVIDER_F_EMBEDDING', component: {} } });

const fields = ['data_sink_id', 'embedding_model_config_id', 'managed_pipeline_id'] as const;

/** Creates one resource of each kind that a pipeline can refer to. */
async function createReferences(key: string, query = ''): Promise<Record<(typeof fields)[number], string>> {
  const createAndGetId = async (place: string, body: object) =>
    (await call<Thing>('POST', `${place}${query}`, { key, body })).body.id;
  return {
    data_sink_id: await createAndGetId('/api/v1/data-sinks', sink()),
    embedding_model_config_id: await createAndGetId('/api/v1/embedding-model-configs', config()),
    managed_pipeline_id: await createAndGetId(path, { name: named() }),
  };
}

describe('the references of a pipeline', () => {
  let me: Tenant;
  let mine: Record<string, string>;
  let others: Record<string, string>;
  let ofOther = '';
  beforeAll(async () => {
    me = await createTenant();
    mine = await createReferences(me.key);
    const other = await call<Thing>('POST', '/api/v1/organizations', { key: me.key, body: { name: 'B' } });
    ofOther = `?organization_id=${other.body.id}`;
    others = await createReferences(me.key, ofOther);
  });
  const send = (method: string, place: string, body: object) =>
    call<Thing>(method, place, { key: me.key, body });

  it.each(fields)('must point to %s of the same organization', async (field) => {
    const made = await send('POST', path, { name: named(), [field]: mine[field] });
    expect(made.status).toBe(200);
    const elsewhere = await send('POST', path + ofOther, { name: named(), [field]: others[field] });
    expect(elsewhere.status).toBe(200);
    for (const answer of [
      await send('POST', path, { name: named(), [field]: others[field] }),
      await send('PUT', path, { name: named(), [field]: others[field] }),
      await send('PUT', `${path}/${made.body.id}`, { [field]: others[field] }),
      await send('PUT', `${path}/${elsewhere.body.id}`, { [field]: mine[field] }),
      await send('POST', path, { name: named(), [field]: crypto.randomUUID() }),
    ]) {
      expect([answer.status, answer.body.detail]).toEqual([404, expect.stringContaining(field)]);
    }
    const kept = await send('PUT', `${path}/${elsewhere.body.id}`, { [field]: others[field] });
    expect(kept.status).toBe(200);
  });

  it('leave no inline sink behind if one of them is wrong', async () => {
    const data_sink = sink();
    const body = { name: named(), data_sink, managed_pipeline_id: crypto.randomUUID() };
    expect((await send('POST', path, body)).status).toBe(404);
    const sinks = (await call<Thing[]>('GET', '/api/v1/data-sinks', { key: me.key })).body;
    expect(sinks.map(({ name }) => name)).not.toContain(data_sink.name);
  });
});

describe('a pipeline’s sparse model', () => {
  it('is BM25 if the type is null or absent', async () => {
    for (const model of [{ model_type: null }, {}, null]) {
      const id = await createPipeline({ sparse_model_config: model });
      const { body } = await call<Thing>('GET', `${path}/${id}`);
      expect(body.sparse_model_config).toEqual({ model_type: 'bm25' });
    }
    const id = await createPipeline({ sparse_model_config: { model_type: 'auto' } });
    const changed = await call<Thing>('PUT', `${path}/${id}`, {
      body: { sparse_model_config: { model_type: null, class_name: 'c' } },
    });
    expect(changed.body.sparse_model_config).toEqual({ model_type: 'bm25', class_name: 'c' });
  });
});

describe('ids in upper case', () => {
  it('identify the same resources in paths, queries and bodies', async () => {
    const upper = (id: string) => id.toUpperCase();
    const { key, projectId } = await createTenant();
    const things = await createReferences(key);
    const file = await upload('a.txt', 'x', { key });
    const references = Object.fromEntries(Object.entries(things).map(([name, id]) => [name, upper(id)]));
    const query = `?project_id=${upper(projectId)}`;
    const made = await call<Thing>('POST', path + query, { key, body: { name: named(), ...references } });
    expect(made.body).toMatchObject({
      project_id: projectId,
      embedding_model_config_id: things.embedding_model_config_id,
      managed_pipeline_id: things.managed_pipeline_id,
    });
    const pipeline = `${path}/${upper(made.body.id)}`;
    expect((await call<Thing>('GET', pipeline, { key })).body.id).toBe(made.body.id);
    for (const id of [upper(file), `dfl-${upper(file)}`]) {
      const added = await call<Thing[]>('PUT', `${pipeline}/files`, { key, body: [{ file_id: id }] });
      expect(added.body).toMatchObject([{ file_id: file }]);
      expect((await call('GET', `${pipeline}/files/${id}/status`, { key })).status).toBe(200);
      expect((await call<Thing>('GET', `/api/v1/files/${id}`, { key })).body.id).toBe(file);
    }
    expect((await call('DELETE', `${pipeline}/files/${upper(file)}`, { key })).status).toBe(204);
    const body = { name: named(), pipelines: [{ pipeline_id: upper(made.body.id) }] };
    expect((await call('POST', '/api/v1/retrievers', { key, body })).status).toBe(200);
    expect((await call('DELETE', pipeline, { key })).status).toBe(204);
    const left = env.DB.prepare('select count(*) as n from pipeline_members where file_id = ?').bind(file);
    expect(await left.first('n')).toBe(0);
  });
});
