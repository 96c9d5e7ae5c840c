import { env } from 'cloudflare:workers';
import { eq } from 'drizzle-orm';
import { describe, expect, it } from 'vitest';
import { createContext } from '#src/context/context.ts';
import { pipelineIndexes } from '#src/db/schema/index.ts';
import { call } from '#test/support/client.ts';
import { createPipeline } from '#test/support/pipelines.ts';
import { createTenant } from '#test/support/tenants.ts';
import { useVendors } from '#test/vendors/client.ts';

const ctx = createContext(env, { waitUntil() {} });
const vendors = useVendors(
  { vendor: 'qdrant', base: 'https://93.184.215.14:6333' },
  { vendor: 'astra-db', base: 'https://93.184.215.15' },
);
const UNSAVED = '/api/v1/validate-integrations/validate-data-sink-connection';

interface Check {
  success: boolean;
  message: string;
  loc?: (string | number)[];
  detail?: { loc: (string | number)[] }[];
}

const sink = (changes: object = {}) => ({
  name: 'vectors',
  sink_type: 'VENDOR_G',
  component: {
    ...{ api_key: 'key-of-the-vendor', collection_name: 'c', url: 'https://93.184.215.14', max_retries: 0 },
    ...changes,
  },
});
const create = async (changes: object = {}) =>
  (await call<{ id: string }>('POST', '/api/v1/data-sinks', { body: sink(changes) })).body.id;
const validatePath = (id: string) => `/api/v1/data-sinks/${id}/validate`;

/** Validates the settings both unsaved and as a data sink, and checks that the results are equal. */
async function both(changes: object = {}) {
  const unsaved = await call<Check>('POST', UNSAVED, { body: sink(changes) });
  const saved = await call<Check>('POST', validatePath(await create(changes)));
  expect([unsaved.status, saved.status]).toEqual([200, 200]);
  expect(saved.body).toEqual(unsaved.body);
  return saved.body;
}

describe('validating the settings of a data sink', () => {
  it('succeeds for saved and unsaved settings', async () => {
    expect(await both()).toEqual({
      success: true,
      message: 'The data sink answers and accepts these settings.',
    });
  });

  it.each([
    ['api_key', { api_key: 'An0ther' }],
    ['api_key', { api_key: 'read-only' }],
    ['url', { url: 'nothing at all' }],
    ['collection_name', { collection_name: '' }],
  ])('names %s if %j is wrong', async (name, changes) => {
    const answer = await both(changes);
    expect(answer).toEqual({
      success: false,
      message: expect.stringMatching(new RegExp(`^component\\.${name}: `)),
      loc: ['component', name],
    });
    expect(JSON.stringify(answer)).not.toContain('An0ther');
  });

  it('names no setting if the store fails', async () => {
    const id = await create();
    await vendors.current.fail({ kind: 'status', status: 503 });
    const { body } = await call<Check>('POST', validatePath(id));
    expect(body).toEqual({ success: false, message: expect.stringContaining('Qdrant') });
  });

  it('fails if the dimension differs from what pipelines wrote', async () => {
    const id = await create({ collection_name: 'held' });
    const made = { vectors: { size: 8, distance: 'Cosine' } };
    await fetch('https://93.184.215.14:6333/collections/held', {
      method: 'PUT',
      headers: { 'api-key': 'key-of-the-vendor', 'content-type': 'application/json' },
      body: JSON.stringify(made),
    });
    const pipelineId = await createPipeline({ data_sink_id: id });
    const index = { id: crypto.randomUUID(), pipelineId, configHash: '', state: 'live' as const };
    const written = { type: 'VENDOR_G', component: {} };
    await ctx.db.insert(pipelineIndexes).values({ ...index, dimension: 16, sink: written });
    const other = (await call<Check>('POST', validatePath(id))).body;
    expect(other).toMatchObject({ success: false, loc: ['component', 'collection_name'] });
    expect(other.message).toMatch(/\b8\b.*\b16\b/);
    await ctx.db.update(pipelineIndexes).set({ dimension: 8 }).where(eq(pipelineIndexes.id, index.id));
    expect((await call<Check>('POST', validatePath(id))).body.success).toBe(true);
  });

  it.each([
    [99, /embedding_dimension is 99, but the default embedding model returns 384 dimensions/],
    [384, /accepts these settings\.$/],
  ])(
    'with %i dimensions warns if the default model has another number',
    async (embedding_dimension, message) => {
      const body = {
        name: 'vectors',
        sink_type: 'VENDOR_A_DB',
        component: {
          token: 'AstraCS:token-of-the-vendor',
          api_endpoint: 'https://93.184.215.15',
          collection_name: 'c',
          embedding_dimension,
        },
      };
      const expected = { success: true, message: expect.stringMatching(message) };
      expect((await call<Check>('POST', UNSAVED, { body })).body).toEqual(expected);
      const saved = await call<{ id: string }>('POST', '/api/v1/data-sinks', { body });
      expect((await call<Check>('POST', validatePath(saved.body.id))).body).toEqual(expected);
    },
  );

  it('fails for a component that cannot be opened', async () => {
    const { body } = await call<{ id: string }>('POST', '/api/v1/data-sinks', {
      body: { name: 'free', sink_type: 'VENDOR_G', component: { anything: 'x' } },
    });
    const answer = await call<Check>('POST', validatePath(body.id));
    expect(answer.body).toEqual({
      success: false,
      message: expect.stringContaining('does not match the data sink type VENDOR_G'),
    });
  });

  it('requires a key, and answers 404 for another tenant', async () => {
    const id = await create();
    const { key } = await createTenant();
    expect((await call('POST', validatePath(id), { key })).status).toBe(404);
    expect((await call('POST', validatePath(crypto.randomUUID()))).status).toBe(404);
    expect((await call('POST', validatePath(id), { key: null })).status).toBe(401);
    expect((await call('POST', UNSAVED, { key: null, body: sink() })).status).toBe(401);
    expect((await call('POST', validatePath('none'))).status).toBe(422);
  });

  it('rejects malformed settings with the name of each field', async () => {
    const refused = await call<Check>('POST', UNSAVED, { body: sink({ url: 1, max_retries: 11 }) });
    expect(refused.status).toBe(422);
    const places = refused.body.detail!.map(({ loc }) => loc.join('.'));
    expect(places.sort()).toEqual(['body.component.max_retries', 'body.component.url']);
  });
});
