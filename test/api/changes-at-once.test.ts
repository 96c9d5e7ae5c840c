import { env } from 'cloudflare:workers';
import { describe, expect, it } from 'vitest';
import { parseKeyRing } from '#src/services/secrets/key-ring.ts';
import { sealedPlaces } from '#src/services/secrets/sealed-places.ts';
import { MASK, openSecrets } from '#src/services/secrets/secret-fields.ts';
import { type Answer, call } from '#test/support/client.ts';
import { INVOICE_SCHEMA } from '#test/support/jobs.ts';
import { callWith, databaseWhere } from '#test/support/meanwhile.ts';

type Body = Record<string, unknown> & { id: string };

const send = (method: string, path: string, body: object) => call<Body>(method, path, { body });

/** Sends a request and makes another complete request just before the first one writes to the table. */
function sendAround(
  [method, path, body]: [method: string, path: string, body: object],
  table: string,
  other: () => Promise<Answer<Body> | Body>,
): Promise<Answer<Body>> {
  const DB = databaseWhere(new RegExp(`^(update|insert into) "${table}"`), async () => {
    const answer = await other();
    if ('headers' in answer) expect(answer.status, JSON.stringify(answer.body)).toBe(200);
  });
  return callWith({ DB }, method, path, { body });
}

const create = async (path: string, body: object) => {
  const answer = await send('POST', path, body);
  expect(answer.status, JSON.stringify(answer.body)).toBeLessThan(300);
  return answer.body;
};

const named = (start = 'thing') => `${start} ${crypto.randomUUID()}`;
const sink = { sink_type: 'VENDOR_C', component: { uri: 'https://old.example' } };
const source = { source_type: 'SOURCE_9_BUCKET', component: { bucket: 'old' } };
const model = (dimensions: number) => ({
  embedding_config: { type: 'PROVIDER_G_EMBEDDING', component: { dimensions } },
});
const saved = (target_pages: string) => ({
  parameters: { product_type: 'extract_v2', data_schema: INVOICE_SCHEMA, target_pages },
});
const webhook = { webhook_url: 'https://h.example/' };

const pairs: [path: string, table: string, made: object, one: object, other: object][] = [
  [
    ...(['/api/v1/pipelines', 'pipelines', {}] as const),
    { transform_config: { mode: 'auto', chunk_size: 77 } },
    { metadata_config: { excluded_llm_metadata_keys: ['a'] } },
  ],
  [
    ...(['/api/v1/pipelines', 'pipelines', {}] as const),
    { parse_parameters: { do_not_cache: true }, name: named() },
    { ...model(7), preset_retrieval_parameters: { dense_similarity_top_k: 7 } },
  ],
  [
    ...(['/api/v1/data-sinks', 'data_sinks', sink] as const),
    { ...sink, component: { uri: 'https://new.example' } },
    { sink_type: 'VENDOR_C', name: named() },
  ],
  [
    ...(['/api/v1/data-sources', 'data_sources', source] as const),
    { ...source, component: { bucket: 'new' } },
    { source_type: 'SOURCE_9_BUCKET', custom_metadata: { a: 1 } },
  ],
  ['/api/v1/embedding-model-configs', 'embedding_model_configs', model(6), model(7), { name: named() }],
  ['/api/v1/beta/configurations', 'configurations', saved('1'), saved('1-2'), { name: named() }],
  [
    ...(['/api/v1/beta/webhook-configs', 'webhook_configs', webhook] as const),
    { webhook_output_format: 'json' },
    { webhook_events: ['extract.success'] },
  ],
];

describe('concurrent changes', () => {
  it.each(pairs)('of %s (%s) do not undo each other', async (path, table, made, one, other) => {
    for (const [first, second] of [
      [one, other],
      [other, one],
    ] as const) {
      const { id } = await create(path, table === 'webhook_configs' ? made : { name: named(), ...made });
      const meanwhile = () => send('PUT', `${path}/${id}`, second);
      const answer = await sendAround(['PUT', `${path}/${id}`, first], table, meanwhile);
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      expect(answer.body).toMatchObject({ ...first, ...second });
      if (table === 'pipelines') await send('PUT', `${path}/${id}`, { name: named() });
    }
  });

  it('of a retriever do not undo each other', async () => {
    const { id: pipeline_id } = await create('/api/v1/pipelines', { name: named() });
    const { id } = await create('/api/v1/retrievers', { name: named() });
    const [pipelines, renamed] = [{ pipelines: [{ pipeline_id }] }, { name: named() }];
    const path = `/api/v1/retrievers/${id}`;
    const answer = await sendAround(['PUT', path, pipelines], 'retrievers', () => send('PUT', path, renamed));
    expect(answer).toMatchObject({ status: 200, body: { ...pipelines, ...renamed } });
  });

  it('of type and name keep the component of the new type', async () => {
    const { id } = await create('/api/v1/data-sinks', { name: named(), ...sink });
    const path = `/api/v1/data-sinks/${id}`;
    const component = { api_key: 'a', url: 'https://h.example', collection_name: 'c' };
    const other = { sink_type: 'VENDOR_G', component };
    const rename = { sink_type: 'VENDOR_C', name: named() };
    const answer = await sendAround(['PUT', path, rename], 'data_sinks', () => send('PUT', path, other));
    expect(answer.status).toBe(422);
    expect((await call<Body>('GET', path)).body).toMatchObject({
      sink_type: 'VENDOR_G',
      component: { ...component, api_key: MASK },
    });
  });

  it('a masked secret keeps the latest value', async () => {
    const withKey = (api_key: string, collection_name: string) => ({
      sink_type: 'VENDOR_G',
      component: { api_key, collection_name, url: 'https://h.example' },
    });
    const { id } = await create('/api/v1/data-sinks', { name: named(), ...withKey('old', 'a') });
    const path = `/api/v1/data-sinks/${id}`;
    const masked = ['PUT', path, withKey(MASK, 'b')] as [string, string, object];
    await sendAround(masked, 'data_sinks', () => send('PUT', path, withKey('new', 'a')));
    const row = env.DB.prepare('select component from data_sinks where id = ?').bind(id);
    const ring = parseKeyRing(String(env.ENCRYPTION_KEY), undefined);
    const component = JSON.parse((await row.first<string>('component'))!);
    const opened = await openSecrets(component, ring, sealedPlaces.dataSink(id));
    expect(opened).toMatchObject({ api_key: 'new', collection_name: 'b' });
  });
});

describe('concurrent pipelines with the same name', () => {
  const path = '/api/v1/pipelines';

  it('result in one pipeline, and the other call is rejected or updates it without leaving a sink', async () => {
    const inline = { ...sink, name: named('inline') };
    for (const [method, status] of [
      ['POST', 409],
      ['PUT', 200],
    ] as const) {
      const name = named();
      let id = '';
      const meanwhile = async () => {
        const other = await create(path, { name });
        id = other.id;
        return other;
      };
      const metadata_config = { excluded_llm_metadata_keys: ['a'] };
      const body = { name, metadata_config, data_sink: { ...inline, name: `${inline.name} ${method}` } };
      const answer = await sendAround([method, path, body], 'pipelines', meanwhile);
      expect(answer.status, JSON.stringify(answer.body)).toBe(status);
      if (status === 200) expect(answer.body).toMatchObject({ id, metadata_config });
    }
    const sinks = (await call<Body[]>('GET', '/api/v1/data-sinks')).body.map((each) => String(each.name));
    expect(sinks.filter((each) => each.startsWith(inline.name))).toEqual([`${inline.name} PUT`]);
  });

  it('result in one pipeline for equal upserts', async () => {
    const name = named();
    const answers = await Promise.all(Array.from({ length: 6 }, () => send('PUT', path, { name })));
    expect(answers.map(({ status }) => status)).toEqual(Array(6).fill(200));
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
  });

  it('cannot be created by a rename', async () => {
    const [taken, name] = [named(), named()];
    const { id } = await create(path, { name });
    const renaming = ['PUT', `${path}/${id}`, { name: taken }] as [string, string, object];
    const answer = await sendAround(renaming, 'pipelines', () => create(path, { name: taken }));
    expect(answer.status).toBe(409);
  });
});

describe('a change of a shared embedding config', () => {
  const configs = '/api/v1/embedding-model-configs';
  const getConfigHash = (body: Body) => body.config_hash;

  it.each([
    ['while a pipeline begins to use it', {}],
    ['while a pipeline that uses it is renamed', { name: named() }],
  ])('applies to the pipeline if it happens %s', async (_, change) => {
    const { id: configId } = await create(configs, { name: named(), ...model(6) });
    const [older, newer] = [{ embedding_model_config_id: configId }, model(7)];
    const begun = 'name' in change ? older : {};
    const { id } = await create('/api/v1/pipelines', { name: named(), ...begun });
    const path = `/api/v1/pipelines/${id}`;
    const body = 'name' in change ? change : older;
    const update = ['PUT', path, body] as [string, string, object];
    await sendAround(update, 'pipelines', () => send('PUT', `${configs}/${configId}`, newer));
    const reference = await create('/api/v1/pipelines', { name: named(), ...older });
    expect(getConfigHash((await call<Body>('GET', path)).body)).toEqual(getConfigHash(reference));
  });

  it('applies to a pipeline that is being created', async () => {
    const { id: configId } = await create(configs, { name: named(), ...model(6) });
    const body = () => ({ name: named(), embedding_model_config_id: configId });
    const creation = ['POST', '/api/v1/pipelines', body()] as [string, string, object];
    const meanwhile = () => send('PUT', `${configs}/${configId}`, model(7));
    const made = await sendAround(creation, 'pipelines', meanwhile);
    expect(getConfigHash(made.body)).toEqual(getConfigHash(await create('/api/v1/pipelines', body())));
  });
});
