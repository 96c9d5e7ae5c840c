import { describe, expect, it } from 'vitest';
import { call } from '#test/support/client.ts';
import { failure, model, modelList } from '#test/support/openai-shapes.ts';
import { createTenant } from '#test/support/tenants.ts';

interface Model {
  id: string;
  sluice: { id: string; kind: string; name: string };
}

async function tenantWith(pipelines: string[], retrievers: string[]) {
  const { key } = await createTenant();
  const make = async (path: string, name: string) =>
    (await call<{ id: string }>('POST', path, { key, body: { name } })).body.id;
  const ids: Record<string, string> = {};
  for (const name of pipelines) ids[`pipeline ${name}`] = await make('/api/v1/pipelines', name);
  for (const name of retrievers) ids[`retriever ${name}`] = await make('/api/v1/retrievers', name);
  const get = <Body>(path: string) => call<Body>('GET', `/openai/v1/models${path}`, { key });
  return { key, ids, get };
}

describe('the model list', () => {
  it('contains the pipelines and retrievers of the project by name', async () => {
    const { ids, get } = await tenantWith(['papers', 'Verträge/2026'], ['everything']);
    const { body } = await get<{ data: Model[] }>('');
    modelList.parse(body);
    expect(body.data.map(({ id }) => id).toSorted()).toEqual(['Verträge/2026', 'everything', 'papers']);
    for (const listed of body.data) {
      const own = ids[`${listed.sluice.kind} ${listed.sluice.name}`];
      expect(listed.sluice.id).toBe(`${listed.sluice.kind}-${own}`);
      for (const name of [listed.id, listed.sluice.id]) {
        const { body: one } = await get(`/${encodeURIComponent(name)}`);
        expect(model.parse(one)).toEqual(model.parse(listed));
      }
    }
  });

  it('is complete for many pipelines', async () => {
    const names = Array.from({ length: 120 }, (_, index) => `pipeline number ${index}`);
    const { get } = await tenantWith(names, []);
    const { body } = await get<{ data: Model[] }>('');
    expect(new Set(body.data.map(({ id }) => id))).toEqual(new Set(names));
  });

  it('shows ids instead of an ambiguous name, and the ambiguous name is rejected', async () => {
    const { key, ids, get } = await tenantWith(['both', 'papers'], ['both']);
    const { body } = await get<{ data: Model[] }>('');
    const stable = [`pipeline-${ids['pipeline both']}`, `retriever-${ids['retriever both']}`];
    expect(body.data.map(({ id }) => id).toSorted()).toEqual(['papers', ...stable].toSorted());
    const ask = { model: 'both', messages: [{ role: 'user', content: 'Who?' }] };
    const refused = await call('POST', '/openai/v1/chat/completions', { key, body: ask });
    expect(refused.status).toBe(400);
    const { error } = failure.parse(refused.body);
    expect(error).toMatchObject({ param: 'model', code: 'ambiguous_model' });
    for (const name of stable) {
      expect(error.message).toContain(name);
      const answer = await call('POST', '/openai/v1/chat/completions', {
        key,
        body: { ...ask, model: name },
      });
      expect(answer.status).toBe(200);
    }
  });

  it('ignores a pipeline whose name looks like the id of another', async () => {
    const { key, ids, get } = await tenantWith(['papers'], []);
    const disguise = `pipeline-${ids['pipeline papers']}`;
    await call('POST', '/api/v1/pipelines', { key, body: { name: disguise } });
    const { body } = await get<Model>(`/${disguise}`);
    expect(body.sluice.name).toBe('papers');
    const listed = (await get<{ data: Model[] }>('')).body.data;
    expect(listed.map(({ id }) => id)).not.toContain(disguise);
  });

  it('hides models of other tenants', async () => {
    const { ids } = await tenantWith(['papers'], []);
    const { key } = await createTenant();
    for (const name of ['papers', `pipeline-${ids['pipeline papers']}`]) {
      const { status, body } = await call('GET', `/openai/v1/models/${name}`, { key });
      expect(status).toBe(404);
      expect(failure.parse(body).error).toMatchObject({ param: 'model', code: 'model_not_found' });
    }
  });
});

describe('an error', () => {
  it('has the format of the protocol in every case', async () => {
    const { key } = await createTenant();
    const chat = '/openai/v1/chat/completions';
    const told = async (method: string, path: string, init: Parameters<typeof call>[2]) => {
      const { status, body } = await call(method, path, { key, ...init });
      return { status, ...failure.parse(body).error };
    };
    expect(await told('GET', '/openai/v1/nothing', {})).toMatchObject({ status: 404, code: 'not_found' });
    expect(await told('GET', '/openai/v1/models', { key: 'slc_nobody' })).toMatchObject({
      status: 401,
      type: 'authentication_error',
      code: 'invalid_api_key',
    });
    const headers = { 'content-type': 'text/plain' };
    expect(await told('POST', chat, { headers, raw: '{}' })).toMatchObject({ status: 415 });
    const json = { 'content-type': 'application/json' };
    expect(await told('POST', chat, { headers: json, raw: '{' })).toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      param: null,
      code: 'json_invalid',
    });
    expect(await told('POST', chat, { headers: json, raw: 'x'.repeat(17_000_000) })).toMatchObject({
      status: 413,
    });
    expect(await told('POST', chat, { body: { messages: [] } })).toMatchObject({
      status: 400,
      param: 'model',
      code: 'missing',
      message: expect.stringMatching(/^model: Field required; messages: /),
    });
  });
});
