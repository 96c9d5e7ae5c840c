import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { openDatabase } from '#src/db/client.ts';
import { pipelineDataSources } from '#src/db/schema/index.ts';
import { call } from '#test/support/client.ts';
import { createPipeline } from '#test/support/pipelines.ts';
import { createTenant } from '#test/support/tenants.ts';

interface Source {
  id: string;
  name: string;
  component: Record<string, unknown>;
  custom_metadata: Record<string, unknown> | null;
  version_metadata: { reader_version: string };
  project_id: string;
}

const PATH = '/api/v1/data-sources';
const bucket = { bucket: 'papers', cloud_access_secret: 'Pl4nted' };
const unique = (name: string) => `${name} ${crypto.randomUUID()}`;

async function create(body: Record<string, unknown> = {}, key?: string): Promise<Source> {
  const answer = await call<Source>('POST', PATH, {
    ...(key !== undefined && { key }),
    body: { name: unique('source'), source_type: 'SOURCE_9_BUCKET', component: bucket, ...body },
  });
  expect(answer.status).toBe(200);
  return answer.body;
}

describe('data sources', () => {
  it('are created with defaults, masked secrets and the reader version', async () => {
    const source = await create({ custom_metadata: { team: 'legal', tags: ['a'] } });
    expect(source).toMatchObject({
      component: { bucket: 'papers', cloud_access_secret: '********', supports_access_control: false },
      custom_metadata: { team: 'legal', tags: ['a'] },
      version_metadata: { reader_version: '2.1' },
    });
    const read = await call<Source>('GET', `${PATH}/${source.id}`);
    expect(read.body).toEqual(source);
    const listed = await call<Source[]>('GET', PATH);
    expect(listed.body).toContainEqual(source);
  });

  it.each([
    [{ source_type: 'SOURCE_99' }, ['body', 'source_type']],
    [{ component: undefined }, ['body', 'component']],
    [{ component: { prefix: 'x' } }, ['body', 'component', 'bucket']],
    [{ component: { bucket: 'b', regex_pattern: '(' } }, ['body', 'component', 'regex_pattern']],
    [{ name: '' }, ['body', 'name']],
    [{ custom_metadata: [1] }, ['body', 'custom_metadata']],
  ])('reject %j', async (change, loc) => {
    const body = { name: 'n', source_type: 'SOURCE_9_BUCKET', component: bucket, ...change };
    const answer = await call<{ detail: { loc: unknown[] }[] }>('POST', PATH, { body });
    expect(answer.status).toBe(422);
    expect(answer.body.detail.map((issue) => issue.loc)).toContainEqual(loc);
  });

  it('store a free-form component unchanged, with a warning', async () => {
    const source = await create({ component: { anything: { goes: 1 } } });
    expect(source.component).toEqual({ anything: { goes: 1 } });
    const reason = expect.stringContaining('None of the fields is known for SOURCE_9_BUCKET');
    expect(source).toMatchObject({ warnings: [{ field: 'component', reason }] });
  });

  it('warn about fields that their type does not use, on create and on update', async () => {
    const connection = { authentication_mechanism: 'PAT', server_url: 'https://i.example', api_token: 't' };
    const component = { ...connection, query: 'project = A', email: 'ann@example.com' };
    const typed = { source_type: 'SOURCE_5_ISSUES', component };
    const warned = { warnings: [{ field: 'component.email', reason: expect.any(String) }] };
    const created = await create(typed);
    expect(created).toMatchObject(warned);
    const changed = await call('PUT', `${PATH}/${created.id}`, { body: typed });
    expect(changed.body).toMatchObject(warned);
  });

  it('keep fields that an update omits, and drop the component on a change of type', async () => {
    const source = await create({ custom_metadata: { a: 1 } });
    const update = (body: Record<string, unknown>) =>
      call<Source>('PUT', `${PATH}/${source.id}`, { body: { source_type: 'SOURCE_9_BUCKET', ...body } });
    const renamed = await update({ name: 'renamed' });
    expect(renamed.body).toMatchObject({ name: 'renamed', component: source.component });
    expect((await update({ custom_metadata: null })).body.custom_metadata).toEqual({ a: 1 });
    expect((await update({ custom_metadata: {} })).body.custom_metadata).toEqual({});
    const moved = await update({ component: { bucket: 'other' } });
    expect(moved.body.component).toMatchObject({ bucket: 'other', cloud_access_secret: '********' });
    const changed = await update({ source_type: 'SOURCE_8_PAGE', component: { integration_token: 't' } });
    expect(changed.body.component).toMatchObject({ integration_token: '********' });
    expect(changed.body.component).not.toHaveProperty('bucket');
    expect((await call('PUT', `${PATH}/${source.id}`, { body: { name: 'x' } })).status).toBe(422);
  });

  it('cannot be deleted while a pipeline uses them, and the error names the pipeline', async () => {
    const source = await create();
    const name = unique('reader');
    const pipeline = await createPipeline({ name });
    await openDatabase(env.DB)
      .insert(pipelineDataSources)
      .values({ id: crypto.randomUUID(), pipelineId: pipeline, dataSourceId: source.id });
    const refused = await call<{ detail: string }>('DELETE', `${PATH}/${source.id}`);
    expect(refused.status).toBe(409);
    expect(refused.body.detail).toContain(name);
    expect(refused.headers.get('x-should-retry')).toBe('false');
    await call('POST', `/api/v1/pipelines/${pipeline}/force-delete`);
    expect((await call('DELETE', `${PATH}/${source.id}`)).status).toBe(204);
    expect((await call('GET', `${PATH}/${source.id}`)).status).toBe(404);
  });

  it('are hidden from other tenants and require a key', async () => {
    const { id } = await create();
    const { key } = await createTenant();
    const body = { source_type: 'SOURCE_9_BUCKET' };
    expect((await call('GET', `${PATH}/${id}`, { key })).status).toBe(404);
    expect((await call('PUT', `${PATH}/${id}`, { key, body })).status).toBe(404);
    expect((await call('DELETE', `${PATH}/${id}`, { key })).status).toBe(404);
    expect((await call<Source[]>('GET', PATH, { key })).body).toEqual([]);
    for (const method of ['GET', 'POST', 'PUT']) {
      expect((await call(method, PATH, { key: null, ...(method !== 'GET' && { body }) })).status).toBe(401);
    }
  });
});
