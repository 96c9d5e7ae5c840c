import { describe, expect, it } from 'vitest';
import { createLogger } from '#src/lib/log.ts';
import { collectWarnings } from '#src/lib/schema/effect.ts';
import { createTenantDeps } from '#src/models/definition/deps.ts';
import { gemini } from '#src/models/embedding/gemini.ts';
import type { Settings } from '#src/settings/settings.ts';
import { embedderSuite } from '#test/suites/embedder.suite.ts';
import { modelDeps } from '#test/support/models.ts';
import { useVendors } from '#test/vendors/client.ts';
import { GEMINI_COMPONENT, GEMINI_KEY, GEMINI_MOUNT, geminiFixture } from './fixtures/gemini.ts';

embedderSuite(geminiFixture);

describe('Gemini settings', () => {
  const vendors = useVendors(GEMINI_MOUNT, { ...GEMINI_MOUNT, base: 'http://gateway.test/google' });
  const sent = async (given: object, purpose: 'document' | 'query' = 'document', text = 'a') => {
    await gemini.open({ ...GEMINI_COMPONENT, ...given }, modelDeps()).embed([text], purpose);
    const seen = (await vendors.current.state()).seen.at(-1)!;
    return { ...seen, request: (seen.body as { requests: object[] }).requests[0]! };
  };

  it('have default values', async () => {
    const { url, headers, body } = await sent({ model_name: null });
    expect(url).toBe(
      'https://generativelanguage.googleapis.com/v1beta/models/gemini-embedding-001:batchEmbedContents',
    );
    expect(headers['x-goog-api-key']).toBe(GEMINI_KEY);
    expect(body).toEqual({
      requests: [
        {
          model: 'models/gemini-embedding-001',
          content: { parts: [{ text: 'a' }] },
          taskType: 'RETRIEVAL_DOCUMENT',
        },
      ],
    });
    expect((await sent({}, 'query')).request).toMatchObject({ taskType: 'RETRIEVAL_QUERY' });
  });

  it.each<[object, object]>([
    [{ task_type: 'CLUSTERING' }, { taskType: 'CLUSTERING' }],
    [{ task_type: 'retrieval_query' }, { taskType: 'RETRIEVAL_QUERY' }],
    [{ output_dimensionality: 3 }, { outputDimensionality: 3 }],
    [{ model_name: 'm' }, { model: 'models/m' }],
  ])('are applied to the request: %j', async (given, expected) => {
    expect((await sent(given)).request).toMatchObject(expected);
    expect((await sent(given, 'query')).request).toMatchObject(expected);
  });

  it('send a title only for documents', async () => {
    const title = 'A title';
    expect((await sent({ title })).request).toMatchObject({ title });
    expect((await sent({ title }, 'query')).request).not.toHaveProperty('title');
    expect((await sent({ title, task_type: 'clustering' })).request).not.toHaveProperty('title');
  });

  it('accept another base URL with or without the version', async () => {
    const at = 'http://gateway.test/google/v1beta/models/m:batchEmbedContents';
    expect((await sent({ api_base: 'http://gateway.test/google/v1beta/' })).url).toBe(at);
    const { url } = await sent({ api_base: 'https://generativelanguage.googleapis.com' });
    expect(url).toBe('https://generativelanguage.googleapis.com/v1beta/models/m:batchEmbedContents');
  });

  it('truncate a text to the limit of the default model', async () => {
    const { body } = await sent({ model_name: null }, 'document', 'word '.repeat(3000));
    const { text } = (body as { requests: { content: { parts: { text: string }[] } }[] }).requests[0]!.content
      .parts[0]!;
    expect(text.split(' ').filter(Boolean)).toHaveLength(2048);
  });

  it('are validated before use', () => {
    const opening = (given: object) => () => gemini.open({ ...GEMINI_COMPONENT, ...given }, modelDeps());
    expect(opening({ task_type: 'search' })).toThrow(/task_type: Input should be one of retrieval_document/);
    expect(opening({ api_base: 'gateway' })).toThrow(/api_base: /);
  });

  it('are checked with a request, and the wrong field is named', async () => {
    const check = (given: object) => gemini.check({ ...GEMINI_COMPONENT, ...given }, modelDeps());
    expect(await check({})).toBe('models/m@PROVIDER_D_EMBEDDING returned a vector with 4 dimensions.');
    await expect(check({ api_key: 'other' })).rejects.toThrow(/^api_key: .*answered 400/);
    await expect(check({ api_key: null })).rejects.toThrow(/^api_key: .*401/);
    await expect(check({ model_name: 'm?x=1' })).rejects.toThrow(/^model_name: .*404/);
    await expect(check({ model_name: '../m' })).rejects.toThrow(/path parameter model/);
    await expect(check({ api_base: 'ftp://gateway.test' })).rejects.toThrow(/^api_base: /);
    expect(await check({ output_dimensionality: 3 })).toContain('3 dimensions');
  });

  it('warn about a transport other than REST', () => {
    const warned = (transport: string) =>
      collectWarnings(gemini.settings, { transport }).map(({ field }) => field);
    expect([warned('rest'), warned('grpc')]).toEqual([[], ['transport']]);
  });

  it('of a tenant cannot reach a private address', async () => {
    const settings = { ALLOW_PRIVATE_ADDRESSES: false } as Settings;
    const deps = createTenantDeps({ settings, bindings: {}, log: createLogger({}, 'error') });
    const embedder = gemini.open({ ...GEMINI_COMPONENT, api_base: 'http://127.0.0.1:9/v1' }, deps);
    await expect(embedder.embed(['a'], 'query')).rejects.toMatchObject({ code: 'bad_request' });
    expect((await vendors.current.state()).seen).toEqual([]);
  });
});
