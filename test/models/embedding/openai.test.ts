import { describe, expect, it } from 'vitest';
import { createLogger } from '#src/lib/log.ts';
import { createTenantDeps } from '#src/models/definition/deps.ts';
import { openai } from '#src/models/embedding/openai.ts';
import type { Settings } from '#src/settings/settings.ts';
import { DAMAGED_ANSWERS, embedderLies, embedderSuite } from '#test/suites/embedder.suite.ts';
import { modelDeps } from '#test/support/models.ts';
import { useVendors } from '#test/vendors/client.ts';
import { OPENAI_COMPONENT, OPENAI_KEY, OPENAI_MOUNT, openaiFixture } from './fixtures/openai.ts';

embedderSuite(openaiFixture);
// One provider stands for all in the usual run. The others are in false-answers.slow.test.ts.
embedderLies(openaiFixture, DAMAGED_ANSWERS);

const hosted = { vendor: 'openai', settings: { key: OPENAI_KEY, dimension: 1536 } };

describe('OpenAI settings', () => {
  const vendors = useVendors(OPENAI_MOUNT, hosted);
  const sent = async () => (await vendors.current.state()).seen.at(-1)!;

  it('are applied to the request', async () => {
    const given = {
      ...OPENAI_COMPONENT,
      default_headers: { 'x-team': 'a' },
      additional_kwargs: { user: 'u', model: 'other', input: ['other'], encoding_format: 'base64' },
      dimensions: 5,
    };
    const embedder = openai.open(given, modelDeps());
    expect(embedder.dimension).toBe(5);
    await embedder.embed(['a'], 'query');
    const { url, headers, body } = await sent();
    expect(url).toBe('http://models.test/v1/embeddings');
    expect(headers).toMatchObject({ 'x-team': 'a', authorization: `Bearer ${OPENAI_KEY}` });
    expect(body).toEqual({ user: 'u', model: 'm', input: ['a'], encoding_format: 'float', dimensions: 5 });
  });

  it('send the API version in the URL', async () => {
    const embedder = openai.open({ ...OPENAI_COMPONENT, api_version: '2024-02-01' }, modelDeps());
    await expect(embedder.embed(['a'], 'query')).rejects.toThrow(/no such query parameter: api-version/);
    expect((await sent()).url).toBe('http://models.test/v1/embeddings?api-version=2024-02-01');
  });

  it('send no authorization header without a key, and accept a header instead', async () => {
    const { api_key: _, ...rest } = OPENAI_COMPONENT;
    await expect(openai.open(rest, modelDeps()).embed(['a'], 'query')).rejects.toMatchObject({ status: 401 });
    expect((await sent()).headers).not.toHaveProperty('authorization');
    const default_headers = { authorization: `Bearer ${OPENAI_KEY}` };
    expect(await openai.open({ ...rest, default_headers }, modelDeps()).embed(['a'], 'query')).toHaveLength(
      1,
    );
  });

  it('prefer a header to the key, in any letter case', async () => {
    for (const name of ['Authorization', 'authorization']) {
      const given = {
        ...OPENAI_COMPONENT,
        api_key: 'other',
        default_headers: { [name]: `Bearer ${OPENAI_KEY}` },
      };
      expect(await openai.open(given, modelDeps()).embed(['a'], 'query')).toHaveLength(1);
    }
  });

  it('have default values, which error messages do not reveal', async () => {
    const embedder = openai.open({ api_key: OPENAI_KEY }, modelDeps());
    expect(embedder.modelId).toBe('default@PROVIDER_G_EMBEDDING');
    await embedder.embed(['a'], 'query');
    expect(await sent()).toMatchObject({
      url: 'https://api.openai.com/v1/embeddings',
      body: { model: 'text-embedding-ada-002' },
    });
    const wrong = openai.open({ api_key: 'k' }, modelDeps());
    const message = await wrong.embed(['a'], 'query').then(String, (error: Error) => error.message);
    expect(message).toContain('The embedding endpoint PROVIDER_G_EMBEDDING');
    expect(message).not.toMatch(/openai|ada/i);
  });

  it('reject vectors of another length than requested', async () => {
    await vendors.current.fail({ kind: 'own', name: 'one of another length' });
    const embedder = openai.open({ ...OPENAI_COMPONENT, dimensions: 5 }, modelDeps());
    await expect(embedder.embed(['a'], 'query')).rejects.toThrow(/^dimensions: .*length 4, not 5/);
    expect(openai.open({ model_name: 'text-embedding-3-large' }, modelDeps()).dimension).toBe(3072);
  });

  it('truncate long texts for hosted models only', async () => {
    const long = ' ferry'.repeat(10_000);
    const lengthSent = async (given: object) => {
      await openai.open({ ...OPENAI_COMPONENT, ...given }, modelDeps()).embed([long], 'document');
      return ((await sent()).body as { input: string[] }).input[0]!.length;
    };
    expect(await lengthSent({ model_name: 'text-embedding-3-small', dimensions: 4 })).toBe(
      8191 * ' ferry'.length,
    );
    expect(await lengthSent({})).toBe(long.length);
  });

  it('limit the number of attempts', async () => {
    const tries = async (max_retries: number) => {
      const before = (await vendors.current.state()).seen.length;
      await vendors.current.fail(
        ...Array.from({ length: 3 }, () => ({ kind: 'status', status: 503 }) as const),
      );
      await openai
        .open({ ...OPENAI_COMPONENT, max_retries }, modelDeps())
        .embed(['a'], 'query')
        .catch(() => {});
      return (await vendors.current.state()).seen.length - before;
    };
    expect(await tries(0)).toBe(1);
    // Two of the first three faults are left.
    expect(await tries(1)).toBe(2);
    expect(await tries(10)).toBe(3);
  });

  it('are validated before use', () => {
    const opening = (given: object) => () => openai.open(given, modelDeps());
    expect(opening({ timeout: -1 })).toThrow(expect.objectContaining({ code: 'invalid' }));
    expect(opening({ dimensions: -1 })).toThrow(expect.objectContaining({ code: 'invalid' }));
  });

  it('are checked with a request, and the wrong field is named', async () => {
    const check = (given: object) => openai.check({ ...OPENAI_COMPONENT, ...given }, modelDeps());
    expect(await check({})).toBe('m@http://models.test/v1 returned a vector with 4 dimensions.');
    await expect(check({ api_key: 'other' })).rejects.toThrow(/^api_key: .*answered 401/);
    await expect(check({ model_name: 'other' })).rejects.toThrow(/^model_name or api_base: .*404/);
    await expect(check({ api_base: 'http://models.test/v2' })).rejects.toThrow(
      /^model_name or api_base: .*404/,
    );
    await expect(check({ api_base: 'ftp://models.test' })).rejects.toThrow(/^api_base: /);
    await expect(check({ api_base: 'nowhere' })).rejects.toThrow(/^api_base: /);
  });

  it('of a tenant cannot reach a private address', async () => {
    const settings = { ALLOW_PRIVATE_ADDRESSES: false } as Settings;
    const deps = createTenantDeps({ settings, bindings: {}, log: createLogger({}, 'error') });
    const embedder = openai.open({ ...OPENAI_COMPONENT, api_base: 'http://127.0.0.1:9/v1' }, deps);
    await expect(embedder.embed(['a'], 'query')).rejects.toMatchObject({ code: 'bad_request' });
    expect((await vendors.current.state()).seen).toEqual([]);
  });
});
