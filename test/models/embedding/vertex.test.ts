import { describe, expect, it } from 'vitest';
import { createLogger } from '#src/lib/log.ts';
import { createTenantDeps } from '#src/models/definition/deps.ts';
import { vertex } from '#src/models/embedding/vertex.ts';
import type { Settings } from '#src/settings/settings.ts';
import { embedderSuite } from '#test/suites/embedder.suite.ts';
import { keyPair } from '#test/support/key-pair.ts';
import { modelDeps } from '#test/support/models.ts';
import { useVendors, VendorSession } from '#test/vendors/client.ts';
import { buildAccount, PREDICT, VERTEX_PRIVATE_KEY, vertexFixtures } from './fixtures/vertex.ts';

const TOKEN = 'POST /token';

for (const fixture of vertexFixtures) embedderSuite(fixture);

describe('Vertex settings', () => {
  const { component, mounts } = buildAccount('settings');
  const elsewhere = { ...mounts[0]!, base: 'https://tokens.test/of' };
  const vendors = useVendors(...mounts, elsewhere);
  const seen = async () => (await vendors.current.state()).seen;
  const sent = async (given: object, purpose: 'document' | 'query' = 'query') => {
    await vertex.open({ ...component, ...given }, modelDeps()).embed(['a'], purpose);
    return (await seen()).at(-1)!;
  };
  const at = (host: string, location: string, model: string) =>
    `https://${host}aiplatform.googleapis.com/v1/projects/ours/locations/${location}/publishers/google/models/${model}:predict`;

  it('have default values', async () => {
    const { url, body } = await sent({});
    expect(url).toBe(at('europe-west4-', 'europe-west4', 'text-embedding-005'));
    expect(body).toEqual({ instances: [{ content: 'a', task_type: 'RETRIEVAL_QUERY' }] });
    const { body: document } = await sent({}, 'document');
    expect(document).toEqual({ instances: [{ content: 'a', task_type: 'RETRIEVAL_DOCUMENT' }] });
  });

  it.each<[string, object, object]>([
    ['location', { location: 'global' }, { url: at('', 'global', 'text-embedding-005') }],
    [
      'model_name',
      { model_name: 'gemini-embedding-001' },
      { url: at('europe-west4-', 'europe-west4', 'gemini-embedding-001') },
    ],
    [
      'additional_kwargs',
      { additional_kwargs: { output_dimensionality: 3, autoTruncate: false } },
      { body: { parameters: { outputDimensionality: 3, autoTruncate: false } } },
    ],
    ...['classification', 'clustering'].map((embed_mode): [string, object, object] => [
      `embed_mode ${embed_mode}`,
      { embed_mode },
      { body: { instances: [{ task_type: embed_mode.toUpperCase() }] } },
    ]),
    [
      'embed_mode similarity',
      { embed_mode: 'similarity' },
      { body: { instances: [{ task_type: 'SEMANTIC_SIMILARITY' }] } },
    ],
    ['embed_mode default', { embed_mode: 'default' }, { body: { instances: [{ content: 'a' }] } }],
  ])('are applied to the request: %s', async (_, given, expected) => {
    expect(await sent(given)).toMatchObject(expected);
    if (_ === 'embed_mode default') expect(JSON.stringify((await seen()).at(-1)!.body)).not.toContain('task');
  });

  it('select the token endpoint', async () => {
    const token_uri = 'https://tokens.test/of/token';
    await sent({ token_uri });
    const [first] = await seen();
    expect(first).toMatchObject({ url: token_uri, status: 200 });
  });

  it('limit the tokens per call', async () => {
    const texts = Array.from({ length: 30 }, (_, at) => `${at} ${'word '.repeat(1500)}`);
    const embedder = vertex.open({ ...component, embed_batch_size: 250 }, modelDeps());
    expect(await embedder.embed(texts, 'document')).toHaveLength(30);
    const sizes = (await seen()).map(({ body }) => (body as { instances?: unknown[] }).instances?.length);
    expect(sizes.filter((size) => size !== undefined)).toEqual([13, 13, 4]);
  });

  it.each<[string, object]>([
    ['location', { location: 'a.test/' }],
    ['token_uri', { token_uri: 'http://oauth2.googleapis.com/token' }],
    ['token_uri', { token_uri: 'tokens' }],
    ['private_key', { private_key: 'key' }],
    ['private_key', { private_key: VERTEX_PRIVATE_KEY.replaceAll('PRIVATE', 'RSA PRIVATE') }],
  ])('are validated before use: %s', (name, given) => {
    const opening = () => vertex.open({ ...component, ...given }, modelDeps());
    expect(opening).toThrow(new RegExp(`${name}: `));
  });

  it('are checked with a request, and the wrong field is named', async () => {
    const check = (given: object) => vertex.check({ ...component, ...given }, modelDeps());
    expect(await check({})).toBe('default@PROVIDER_H_EMBEDDING returned a vector with 4 dimensions.');
    await expect(check({ model_name: 'other' })).rejects.toThrow(/^model_name.*: .*404/);
    await expect(check({ project: 'other' })).rejects.toThrow(/^client_email or project: .*403/);
    await expect(check({ client_email: 'other' })).rejects.toThrow(/^client_email, .*account not found/);
    await expect(check({ private_key_id: 'other' })).rejects.toThrow(/private_key_id.*no such key/);
    await expect(check({ token_uri: 'https://nowhere.test/token' })).rejects.toThrow(/^token_uri: /);
    const noKey = `-----BEGIN PRIVATE KEY-----\n${btoa('no key at all')}\n-----END PRIVATE KEY-----`;
    await expect(check({ private_key: noKey })).rejects.toThrow(/^private_key: .*not an RSA key/);
  });

  it('of a tenant cannot reach a private address', async () => {
    const settings = { ALLOW_PRIVATE_ADDRESSES: false } as Settings;
    const deps = createTenantDeps({ settings, bindings: {}, log: createLogger({}, 'error') });
    const embedder = vertex.open({ ...component, token_uri: 'https://127.0.0.1/token' }, deps);
    await expect(embedder.embed(['a'], 'query')).rejects.toThrow(/127\.0\.0\.1/);
    expect(await seen()).toEqual([]);
  });
});

describe('service account tokens', () => {
  /** Returns how often tokens and vectors of an account were requested. */
  async function asked(name: string, work: (component: object, session: VendorSession) => Promise<unknown>) {
    const { component, mounts } = buildAccount(name);
    const session = await VendorSession.open(mounts);
    const { fetch } = globalThis;
    globalThis.fetch = session.fetch as typeof fetch;
    try {
      await work(component, session);
    } finally {
      globalThis.fetch = fetch;
    }
    const { seen, mistakes } = await session.end();
    expect(mistakes).toEqual([]);
    const count = (operation: string) => seen.filter((each) => each.operation === operation).length;
    return [count(TOKEN), count(PREDICT)];
  }
  const texts = Array.from({ length: 12 }, (_, at) => `text ${at}`);

  it('are requested once for concurrent callers', async () => {
    const counts = await asked('once', async (component) => {
      const given = { ...component, embed_batch_size: 1, num_workers: 4 };
      await vertex.open(given, modelDeps()).embed(texts, 'document');
      await vertex.open(given, modelDeps()).embed(['a'], 'query');
    });
    expect(counts).toEqual([1, 13]);
  });

  it('are requested again after a token is rejected', async () => {
    const counts = await asked('taken-back', async (component, session) => {
      await vertex.open(component, modelDeps()).embed(['a'], 'query');
      await session.fail({ kind: 'status', status: 401, on: PREDICT });
      await expect(vertex.open(component, modelDeps()).embed(['a'], 'query')).rejects.toThrow(/401/);
      await vertex.open(component, modelDeps()).embed(['a'], 'query');
    });
    expect(counts).toEqual([2, 3]);
  });

  it('are not shared with a caller who has the account name but not the key', async () => {
    const other = await keyPair();
    const counts = await asked('name', async (component) => {
      await vertex.open(component, modelDeps()).embed(['a'], 'query');
      const thief = vertex.open({ ...component, private_key: other.privateKey }, modelDeps());
      await expect(thief.embed(['a'], 'query')).rejects.toThrow(/Invalid JWT Signature/);
    });
    expect(counts).toEqual([2, 1]);
  });

  it('are still fetched if the first caller aborts', async () => {
    const counts = await asked('first', async (component, session) => {
      await session.fail({ kind: 'slow', milliseconds: 300, on: TOKEN });
      const embedder = vertex.open(component, modelDeps());
      const caller = new AbortController();
      const first = embedder.embed(['a'], 'query', caller.signal);
      const second = embedder.embed(['b'], 'query');
      caller.abort(new Error('given up'));
      await expect(first).rejects.toThrow('given up');
      expect(await second).toHaveLength(1);
    });
    expect(counts).toEqual([1, 1]);
  });

  it('accept a key with escaped line breaks', async () => {
    const counts = await asked('letters', (component) =>
      vertex
        .open({ ...component, private_key: VERTEX_PRIVATE_KEY.replaceAll('\n', '\\n') }, modelDeps())
        .embed(['a'], 'query'),
    );
    expect(counts).toEqual([1, 1]);
  });
});
