import { describe, expect, it } from 'vitest';
import { createLogger } from '#src/lib/log.ts';
import { createTenantDeps } from '#src/models/definition/deps.ts';
import { azureOpenai } from '#src/models/embedding/azure-openai.ts';
import type { Settings } from '#src/settings/settings.ts';
import { embedderSuite } from '#test/suites/embedder.suite.ts';
import { modelDeps } from '#test/support/models.ts';
import { useVendors } from '#test/vendors/client.ts';
import { AZURE_COMPONENT, AZURE_KEY, AZURE_MOUNT, azureOpenaiFixture } from './fixtures/azure-openai.ts';

embedderSuite(azureOpenaiFixture);

describe('Azure OpenAI settings', () => {
  const gateway = { ...AZURE_MOUNT, base: 'http://gateway.test/ai/openai' };
  const vendors = useVendors(AZURE_MOUNT, gateway);
  const seen = async () => (await vendors.current.state()).seen.at(-1)!;
  const sent = async (given: object) => {
    await azureOpenai.open({ ...AZURE_COMPONENT, ...given }, modelDeps()).embed(['a'], 'query');
    return seen();
  };
  const at = (path: string) => `https://ours.openai.azure.com/openai/deployments/${path}`;

  it('have default values', async () => {
    const { url, headers, body } = await sent({});
    expect(url).toBe(at('d/embeddings?api-version=2024-10-21'));
    expect(headers['api-key']).toBe(AZURE_KEY);
    expect(body).toEqual({ input: ['a'], model: 'd', encoding_format: 'float' });
  });

  it.each<[string, object, object]>([
    ['api_version', { api_version: '2024-02-01' }, { url: at('d/embeddings?api-version=2024-02-01') }],
    [
      'api_base, in place of cloud_endpoint',
      { cloud_endpoint: null, api_base: 'http://gateway.test/ai/openai/' },
      { url: 'http://gateway.test/ai/openai/deployments/d/embeddings?api-version=2024-10-21' },
    ],
    [
      'cloud_endpoint, with the path of a gateway',
      { cloud_endpoint: 'http://gateway.test/ai' },
      { url: 'http://gateway.test/ai/openai/deployments/d/embeddings?api-version=2024-10-21' },
    ],
    [
      'cloud_endpoint, with the path of the API',
      { cloud_endpoint: 'http://gateway.test/ai/openai/' },
      { url: 'http://gateway.test/ai/openai/deployments/d/embeddings?api-version=2024-10-21' },
    ],
    ['model_name, beside the deployment', { model_name: 'm' }, { body: { model: 'm' } }],
    [
      'model_name, as the deployment',
      { model_name: 'd', cloud_deployment: null },
      { url: at('d/embeddings?api-version=2024-10-21'), body: { model: 'd' } },
    ],
    ['dimensions', { dimensions: 3 }, { body: { dimensions: 3 } }],
    ['default_headers', { default_headers: { 'x-team': 'a' } }, { headers: { 'x-team': 'a' } }],
    [
      'additional_kwargs, which replace nothing',
      { additional_kwargs: { user: 'u', input: ['b'], model: 'other' } },
      { body: { user: 'u', input: ['a'], model: 'd' } },
    ],
  ])('are applied to the request: %s', async (_, given, expected) => {
    expect(await sent(given)).toMatchObject(expected);
  });

  it('send no key header without a key, and accept a header instead', async () => {
    const given = { ...AZURE_COMPONENT, api_key: null };
    const opened = (more: object) => azureOpenai.open({ ...given, ...more }, modelDeps());
    await expect(opened({}).embed(['a'], 'query')).rejects.toMatchObject({ status: 401 });
    expect((await seen()).headers).not.toHaveProperty('api-key');
    expect(await opened({ default_headers: { 'api-key': AZURE_KEY } }).embed(['a'], 'query')).toHaveLength(1);
  });

  it('prefer a header to the key, in any letter case', async () => {
    for (const name of ['Api-Key', 'api-key']) {
      expect((await sent({ api_key: 'other', default_headers: { [name]: AZURE_KEY } })).status).toBe(200);
    }
  });

  it('encode the deployment name in the URL', async () => {
    const embedder = azureOpenai.open({ ...AZURE_COMPONENT, cloud_deployment: '../d?x=1#' }, modelDeps());
    await expect(embedder.embed(['a'], 'query')).rejects.toMatchObject({ status: 404 });
    expect((await seen()).url).toBe(at('..%2Fd%3Fx%3D1%23/embeddings?api-version=2024-10-21'));
  });

  it('require an endpoint URL', () => {
    const opening = (given: object) => () => azureOpenai.open({ api_key: AZURE_KEY, ...given }, modelDeps());
    expect(opening({})).toThrow(/cloud_endpoint: Field required/);
    expect(opening({ cloud_endpoint: 'ours' })).toThrow(/cloud_endpoint: .*URL/);
    expect(opening({ api_base: 'ours' })).toThrow(/api_base: .*URL/);
  });

  it('are checked with a request, and the wrong field is named', async () => {
    const check = (given: object) => azureOpenai.check({ ...AZURE_COMPONENT, ...given }, modelDeps());
    expect(await check({})).toBe('d@ours.openai.azure.com returned a vector with 4 dimensions.');
    await expect(check({ api_key: 'other' })).rejects.toThrow(/^api_key: .*answered 401/);
    await expect(check({ cloud_deployment: 'e' })).rejects.toThrow(
      /^cloud_deployment or cloud_endpoint: .*404/,
    );
    await expect(check({ cloud_endpoint: 'ftp://ours.test' })).rejects.toThrow(/^cloud_endpoint: /);
    await expect(check({ cloud_endpoint: null, api_base: 'ftp://ours.test' })).rejects.toThrow(/^api_base: /);
    await expect(check({ dimensions: 3, additional_kwargs: { colour: 'green' } })).rejects.toThrow(/colour/);
  });

  it('of a tenant cannot reach a private address', async () => {
    const settings = { ALLOW_PRIVATE_ADDRESSES: false } as Settings;
    const deps = createTenantDeps({ settings, bindings: {}, log: createLogger({}, 'error') });
    const embedder = azureOpenai.open({ ...AZURE_COMPONENT, cloud_endpoint: 'http://127.0.0.1:9' }, deps);
    await expect(embedder.embed(['a'], 'query')).rejects.toMatchObject({ code: 'bad_request' });
    expect((await vendors.current.state()).seen).toEqual([]);
  });
});
