import { describe, expect, it } from 'vitest';
import { call } from '#test/support/client.ts';
import { createPipeline } from '#test/support/pipelines.ts';
import { createTenant } from '#test/support/tenants.ts';

interface Connection {
  id: string;
  name: string;
  component?: Record<string, unknown>;
  embedding_config?: { type: string; component: Record<string, unknown> };
}

const sink = (extra: object = {}) => ({
  sink_type: 'VENDOR_G',
  component: { api_key: 'Pl4nted', collection_name: 'c', url: 'https://h.example', ...extra },
});
const source = (extra: object = {}) => ({
  source_type: 'SOURCE_10_CHAT',
  component: { chat_token: 'Pl4nted', ...extra },
});
const model = (extra: object = {}) => ({
  embedding_config: { type: 'PROVIDER_G_EMBEDDING', component: { api_key: 'Pl4nted', ...extra } },
});

const kinds = [
  { path: '/api/v1/data-sinks', of: sink, extra: { max_retries: 7 }, created: 200 },
  { path: '/api/v1/data-sources', of: source, extra: { channel_ids: 'C7' }, created: 200 },
  { path: '/api/v1/embedding-model-configs', of: model, extra: { dimensions: 7 }, created: 201 },
];

type Refused = { detail: { loc: (string | number)[]; msg: string; type: string }[] };
const componentLoc = (path: string) =>
  path.endsWith('configs') ? ['body', 'embedding_config', 'component'] : ['body', 'component'];
/** Another type for each resource, without a component. */
const otherKind: Record<string, object> = {
  '/api/v1/data-sinks': { sink_type: 'VENDOR_C' },
  '/api/v1/data-sources': { source_type: 'SOURCE_8_PAGE' },
  '/api/v1/embedding-model-configs': { embedding_config: { type: 'PROVIDER_A_EMBEDDING' } },
};

describe.each(kinds)('a resource at $path', ({ path, of, extra, created }) => {
  it.each([{}, { component: null }])(
    'keeps its component if another type is sent with %j',
    async (without) => {
      const { body } = await call<Connection>('POST', path, { body: { name: 'n', ...of() } });
      const { embedding_config, ...kind } = otherKind[path] as { embedding_config?: object };
      const changes = embedding_config
        ? { embedding_config: { ...embedding_config, ...without } }
        : { ...kind, ...without };
      const refused = await call<Refused>('PUT', `${path}/${body.id}`, { body: changes });
      expect(refused.status).toBe(422);
      expect(refused.body.detail).toEqual([
        { loc: componentLoc(path), msg: expect.stringContaining('Field required'), type: 'missing' },
      ]);
      expect((await call('GET', `${path}/${body.id}`)).body).toEqual(body);
    },
  );

  it('keeps its component if an upsert by name sends another type without a component', async () => {
    const { key } = await createTenant();
    const { body } = await call<Connection>('PUT', path, { key, body: { name: 'n', ...of() } });
    const refused = await call('PUT', path, { key, body: { name: 'n', ...otherKind[path] } });
    expect(refused.status).toBe(422);
    expect((await call('GET', `${path}/${body.id}`, { key })).body).toEqual(body);
  });

  it('reports a misspelt field and suggests the right name', async () => {
    const { embedding_config, ...rest } = of({ [`x${Object.keys(extra)[0]}`]: 1 }) as Record<string, unknown>;
    const body = { name: 'n', ...rest, ...(embedding_config !== undefined && { embedding_config }) };
    const refused = await call<Refused>('POST', path, { body });
    expect(refused.status).toBe(422);
    const [name] = Object.keys(extra);
    expect(refused.body.detail).toEqual([
      {
        loc: [...componentLoc(path), `x${name}`],
        msg: `unknown field \`x${name}\`; did you mean \`${name}\`?`,
        type: 'extra_forbidden',
      },
    ]);
  });

  it('accepts its own response as an update', async () => {
    const { body } = await call<Connection>('POST', path, { body: { name: 'n', ...of(extra) } });
    const back = await call<Connection>('PUT', `${path}/${body.id}`, { body });
    expect(back.status).toBe(200);
    expect(back.body).toMatchObject({ ...body, updated_at: expect.any(String) });
  });

  it('is updated or created by an upsert with its name', async () => {
    const { key } = await createTenant();
    const first = await call<Connection>('PUT', path, { key, body: { name: 'n', ...of() } });
    expect(first.status).toBe(200);
    const second = await call<Connection>('PUT', path, { key, body: { name: 'n', ...of(extra) } });
    expect(second.body.id).toBe(first.body.id);
    expect(second.body.component ?? second.body.embedding_config?.component).toMatchObject(extra);
    expect((await call<Connection[]>('GET', path, { key })).body).toHaveLength(1);
  });

  it('is created once by concurrent upserts, and again after a rename', async () => {
    const { key } = await createTenant();
    const body = { name: 'n', ...of() };
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => call<Connection>('PUT', path, { key, body })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    const { id } = answers[0]!.body;
    expect(new Set(answers.map((answer) => answer.body.id)).size).toBe(1);
    await call('PUT', `${path}/${id}`, { key, body: { ...of(), name: 'renamed' } });
    const next = await call<Connection>('PUT', path, { key, body });
    expect(next.status).toBe(200);
    expect(next.body.id).not.toBe(id);
    expect((await call<Connection[]>('GET', path, { key })).body).toHaveLength(2);
  });

  it('is not affected by an upsert of another tenant with the same name', async () => {
    const [mine, theirs] = [await createTenant(), await createTenant()];
    const body = { name: 'same', ...of() };
    const first = await call<Connection>('PUT', path, { key: mine.key, body });
    const second = await call<Connection>('PUT', path, { key: theirs.key, body });
    expect(second.body.id).not.toBe(first.body.id);
    expect((await call('PUT', path, { key: null, body })).status).toBe(401);
    expect((await call('PUT', path, { body: of() })).status).toBe(422);
  });

  it('can be created, read and deleted, and rejects unknown keys and ids', async () => {
    const answer = await call<Connection>('POST', path, { body: { name: 'n', ...of() } });
    expect(answer.status).toBe(created);
    const { key } = await createTenant();
    const read = await call('GET', `${path}/${answer.body.id}`);
    expect([read.status, read.body]).toEqual([200, answer.body]);
    expect((await call('GET', `${path}/${answer.body.id}`, { key })).status).toBe(404);
    expect((await call('GET', `${path}/${answer.body.id}`, { key: null })).status).toBe(401);
    expect((await call('DELETE', `${path}/${answer.body.id}`, { key })).status).toBe(404);
    expect((await call('DELETE', `${path}/${answer.body.id}`)).status).toBe(204);
    expect((await call('DELETE', `${path}/${answer.body.id}`)).status).toBe(404);
    expect((await call('DELETE', `${path}/not-an-id`)).status).toBe(422);
  });
});

describe('a resource that a pipeline uses', () => {
  it.each([
    ['/api/v1/data-sinks', sink(), 'data_sink_id'],
    ['/api/v1/embedding-model-configs', model(), 'embedding_model_config_id'],
  ])('cannot be deleted: %s', async (path, body, member) => {
    const { id } = (await call<Connection>('POST', path, { body: { name: 'n', ...body } })).body;
    const name = `user ${crypto.randomUUID()}`;
    const pipeline = await createPipeline({ name, [member]: id });
    const refused = await call<{ detail: string }>('DELETE', `${path}/${id}`);
    expect(refused.status).toBe(409);
    expect(refused.body.detail).toContain(name);
    expect(refused.headers.get('x-should-retry')).toBe('false');
    await call('POST', `/api/v1/pipelines/${pipeline}/force-delete`);
    expect((await call('DELETE', `${path}/${id}`)).status).toBe(204);
  });
});

describe('embedding configurations', () => {
  const create = (embedding_config: object) =>
    call<Connection>('POST', '/api/v1/embedding-model-configs', { body: { name: 'n', embedding_config } });

  it('derive their type from class_name, and use the managed default if empty', async () => {
    const told = await create({ component: { class_name: 'OpenAIEmbedding', api_key: 'Pl4nted' } });
    expect(told.body.embedding_config).toMatchObject({
      type: 'PROVIDER_G_EMBEDDING',
      component: { api_key: '********' },
    });
    expect((await create({})).body.embedding_config?.type).toBe('PROVIDER_F_EMBEDDING');
  });

  it('are validated against the limits of their type', async () => {
    const component = (extra: object) => ({ type: 'PROVIDER_B_EMBEDDING', component: extra });
    for (const [extra, status] of [
      [{ embed_batch_size: 2048 }, 201],
      [{ embed_batch_size: 2049 }, 422],
      [{ embed_batch_size: 0 }, 422],
      [{ max_retries: 0 }, 422],
      [{ max_retries: 1 }, 201],
    ] as const) {
      expect([extra, (await create(component(extra))).status]).toEqual([extra, status]);
    }
  });

  it.each([
    [{ type: 'PROVIDER_C_EMBEDDING' }, 'api_key'],
    [{ type: 'PROVIDER_C_EMBEDDING', component: {} }, 'api_key'],
    [{ type: 'PROVIDER_C_EMBEDDING', component: { truncate: 'END' } }, 'api_key'],
    [{ type: 'PROVIDER_F_EMBEDDING', component: { whatever: true } }, 'whatever'],
    [{ component: { api_key: 'k' } }, 'api_key'],
  ])('%j is rejected with an error at %s', async (config, name) => {
    const issue = { loc: ['body', 'embedding_config', 'component', name] };
    const body = { name: `p ${crypto.randomUUID()}`, embedding_config: config };
    for (const path of ['/api/v1/embedding-model-configs', '/api/v1/pipelines']) {
      const refused = await call<Refused>('POST', path, { body });
      expect(refused.status).toBe(422);
      expect(refused.body.detail).toContainEqual(expect.objectContaining(issue));
    }
    const path = '/api/v1/validate-integrations/validate-embedding-connection';
    expect((await call('POST', path, { body: config })).status).toBe(422);
  });

  it('of a pipeline stay if another type is sent without a component', async () => {
    const id = await createPipeline({ name: `p ${crypto.randomUUID()}`, ...model() });
    const path = `/api/v1/pipelines/${id}`;
    const { body } = await call<Connection>('GET', path);
    for (const component of [undefined, null]) {
      const embedding_config = { type: 'PROVIDER_F_EMBEDDING', component };
      const refused = await call<Refused>('PUT', path, { body: { embedding_config } });
      expect([refused.status, refused.body.detail[0]?.loc]).toEqual([
        422,
        ['body', 'embedding_config', 'component'],
      ]);
    }
    expect((await call<Connection>('GET', path)).body.embedding_config).toEqual(body.embedding_config);
    const moved = await call<Connection>('PUT', path, {
      body: { embedding_config: { type: 'PROVIDER_F_EMBEDDING', component: {} } },
    });
    expect([moved.status, moved.body.embedding_config?.type]).toEqual([200, 'PROVIDER_F_EMBEDDING']);
  });

  it('are tested by embedding a text', async () => {
    const path = '/api/v1/validate-integrations/validate-embedding-connection';
    const works = await call<{ success: boolean; message: string }>('POST', path, { body: {} });
    expect(works.status).toBe(200);
    expect(works.body).toEqual({ success: true, message: expect.stringMatching(/\d+ dimensions/) });
    const broken = { type: 'PROVIDER_F_EMBEDDING', component: { embed_batch_size: 0 } };
    expect((await call('POST', path, { body: broken })).status).toBe(422);
    expect((await call('POST', path, { key: null, body: {} })).status).toBe(401);
  });
});
