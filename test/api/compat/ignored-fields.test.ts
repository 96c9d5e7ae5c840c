import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '#test/support/client.ts';
import { createNpmClients } from '#test/support/npm-client.ts';
import { createTenant } from '#test/support/tenants.ts';

interface Warned {
  id: string;
  component: Record<string, unknown>;
  warnings?: { field: string; reason: string }[];
}

let key: string;
beforeAll(async () => {
  ({ key } = await createTenant());
});

const component = { mongodb_uri: 'mongodb://nowhere.example/', db_name: 'd', collection_name: 'c' };
const sink = { name: 'vectors', sink_type: 'MONGODB_ATLAS' as const };

describe('unknown members of a data sink', () => {
  const extra = {
    ...component,
    class_name: 'CloudMongoDBAtlasVectorSearch',
    write_concern: 'majority',
    db_nam: 'x',
  };

  it('are ignored with a warning under /compat', async () => {
    const path = '/compat/api/v1/data-sinks';
    const made = await call<Warned>('POST', path, { key, body: { ...sink, component: extra } });
    expect(made.status).toBe(200);
    expect(made.body.warnings).toEqual(
      ['write_concern', 'db_nam'].map((name) => ({
        field: `component.${name}`,
        reason: 'A data sink of type MONGODB_ATLAS has no such field. It is ignored.',
      })),
    );
    expect(made.body.component).not.toHaveProperty('write_concern');
    expect(made.headers.get('x-warnings')).toContain('component.write_concern: ');
    const { client } = createNpmClients(key);
    await client.dataSinks.update(made.body.id, { sink_type: 'MONGODB_ATLAS', component: extra });
    expect((await client.dataSinks.get(made.body.id)).component).toMatchObject({ db_name: 'd' });
  });

  it('of a pipeline are named with their path', async () => {
    const body = { name: 'notes', data_sink: { ...sink, component: extra } };
    const made = await call<Warned>('POST', '/compat/api/v1/pipelines', { key, body });
    expect(made.status, JSON.stringify(made.body)).toBe(200);
    const fields = made.body.warnings?.map(({ field }) => field);
    expect(fields).toEqual(expect.arrayContaining(['data_sink.component.write_concern']));
  });

  it('are still refused by the root', async () => {
    const { mongodb_uri: db_uri, ...others } = extra;
    const body = { ...sink, sink_type: 'VENDOR_D', component: { ...others, db_uri } };
    expect((await call('POST', '/api/v1/data-sinks', { key, body })).status).toBe(422);
  });
});

it.each(['/api/v1/data-sinks', '/api/v1/projects', '/api/v2/parse', '/api/v1/beta/configurations'])(
  '`expand` is ignored with a warning by %s, which has nothing to expand',
  async (path) => {
    const answer = await call('GET', `/compat${path}?expand=hologram`, { key });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('x-warnings')).toContain('expand: ');
    expect((await call('GET', `/compat${path}`, { key })).headers.get('x-warnings')).toBeNull();
  },
);
