import { describe, expect, it } from 'vitest';
import { cohere, VECTOR_TYPES } from '#src/models/embedding/cohere.ts';
import { embedderSuite } from '#test/suites/embedder.suite.ts';
import { modelDeps } from '#test/support/models.ts';
import { useVendors } from '#test/vendors/client.ts';
import { COHERE_COMPONENT, COHERE_KEY, COHERE_MOUNT, cohereFixture } from './fixtures/cohere.ts';

embedderSuite(cohereFixture);

describe('Cohere settings', () => {
  const vendors = useVendors(COHERE_MOUNT);
  const sent = async (given: object, purpose: 'document' | 'query' = 'query') => {
    await cohere.open({ ...COHERE_COMPONENT, ...given }, modelDeps()).embed(['a'], purpose);
    return (await vendors.current.state()).seen.at(-1)!;
  };

  it('have default values', async () => {
    const { url, headers, body } = await sent({ model_name: null });
    expect(url).toBe('https://api.cohere.com/v2/embed');
    expect(headers.authorization).toBe(`Bearer ${COHERE_KEY}`);
    expect(body).toEqual({
      model: 'embed-english-v3.0',
      texts: ['a'],
      input_type: 'search_query',
      embedding_types: ['float'],
      truncate: 'END',
    });
    expect((await sent({}, 'document')).body).toMatchObject({ input_type: 'search_document' });
  });

  it.each<[object, object]>([
    [{ input_type: 'clustering' }, { input_type: 'clustering' }],
    [{ truncate: 'NONE' }, { truncate: 'NONE' }],
    [{ truncate: 'START' }, { truncate: 'START' }],
    [{ embedding_type: 'uint8' }, { embedding_types: ['uint8'] }],
    [{ model_name: 'embed-v4.0' }, { model: 'embed-v4.0' }],
  ])('are applied to the request: %j', async (given, expected) => {
    expect((await sent(given)).body).toMatchObject(expected);
    expect((await sent(given, 'document')).body).toMatchObject(expected);
  });

  it('let the provider truncate long texts', async () => {
    const long = 'A very long text. '.repeat(20_000);
    await cohere.open(COHERE_COMPONENT, modelDeps()).embed([long], 'document');
    const { body } = (await vendors.current.state()).seen[0]!;
    expect((body as { texts: string[] }).texts).toEqual([long]);
  });

  it.each(VECTOR_TYPES)('with %s return vectors of the same direction and dimension', async (type) => {
    const [texts, exact] = [['a', 'the ferry is green'], cohere.open(COHERE_COMPONENT, modelDeps())];
    const embedder = cohere.open({ ...COHERE_COMPONENT, embedding_type: type }, modelDeps());
    const [vectors, right] = [await embedder.embed(texts, 'query'), await exact.embed(texts, 'query')];
    for (const [at, vector] of vectors.entries()) {
      const cosine = vector.reduce((sum, value, k) => sum + value * right[at]![k]!, 0);
      expect(vector).toHaveLength(8);
      expect(cosine).toBeGreaterThan(type.endsWith('binary') ? 0.5 : 0.999);
      const signs = (numbers: Float32Array) => [...numbers].map((value) => value > 0);
      if (type.endsWith('binary')) expect(signs(vector)).toEqual(signs(right[at]!));
    }
    const spaces = VECTOR_TYPES.map(
      (each) => cohere.open({ ...COHERE_COMPONENT, embedding_type: each }, modelDeps()).modelId,
    );
    expect(new Set(spaces).size).toBe(VECTOR_TYPES.length);
  });

  it.each<[string, unknown]>([
    ['int8', [[1.5]]],
    ['int8', [[128]]],
    ['uint8', [[-1]]],
    ['binary', [['1']]],
    ['base64', ['%']],
    ['base64', ['AAAAAAA=']],
  ])('with %s reject the vectors %j', async (embedding_type, vectors) => {
    const body = JSON.stringify({ id: 'i', embeddings: { [embedding_type]: vectors } });
    await vendors.current.fail({ kind: 'body', body });
    const embedder = cohere.open({ ...COHERE_COMPONENT, embedding_type }, modelDeps());
    await expect(embedder.embed(['a'], 'query')).rejects.toMatchObject({
      retryable: false,
      message: expect.stringContaining('vector'),
    });
  });

  it('are checked with a request, and the wrong field is named', async () => {
    const check = (given: object) => cohere.check({ ...COHERE_COMPONENT, ...given }, modelDeps());
    expect(await check({})).toBe('m@PROVIDER_C_EMBEDDING/float returned a vector with 8 dimensions.');
    await expect(check({ api_key: 'other' })).rejects.toThrow(/^api_key: .*answered 401/);
    await expect(check({ model_name: 'other' })).rejects.toThrow(/^model_name: .*404/);
  });
});
