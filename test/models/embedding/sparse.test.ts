import { beforeEach, describe, expect, it } from 'vitest';
import { createSparseEmbedder } from '#src/models/embedding/sparse.ts';
import type { SparseVector } from '#src/ports/index-types.ts';
import { modelDeps } from '#test/support/models.ts';
import { SILENCE_SECONDS, skipWaits } from '#test/support/skipped-waits.ts';
import { useVendors } from '#test/vendors/client.ts';
import { numberWord } from '#test/vendors/text-embeddings-inference.ts';

const KEY = 'key-of-the-sparse-model';
const URL = 'http://sparse-model.test:8080';
const SETTINGS = { SPARSE_EMBEDDINGS_URL: URL, SPARSE_EMBEDDINGS_API_KEY: KEY };

const vendors = useVendors({
  vendor: 'text-embeddings-inference',
  settings: { key: KEY, synonyms: [['car', 'automobile']] },
});
beforeEach(() => skipWaits());

const open = (
  settings: Partial<typeof SETTINGS & { SPARSE_EMBEDDINGS_MODEL: string }> = {},
  seconds?: number,
) => createSparseEmbedder({ ...SETTINGS, ...settings }, modelDeps({}, seconds))!;
const calls = async () => (await vendors.current.state()).seen;
const toWeights = ({ indexes, values }: SparseVector) =>
  Object.fromEntries(Array.from(indexes, (index, at) => [index, values[at]]));

/** Plans an answer with these rows and returns the result for one text. */
async function embedWithAnswer(rows: unknown) {
  await vendors.current.fail({ kind: 'body', body: JSON.stringify(rows) });
  const [found] = await open().embed(['a'], 'document');
  return found!;
}

describe('learned sparse model', () => {
  it('is absent without a server', () => {
    expect(createSparseEmbedder({}, modelDeps())).toBeUndefined();
  });

  it('returns the weights of the terms of each text, also of terms that a text lacks', async () => {
    const [first, second] = await open().embed(['a car', 'tides'], 'document');
    const [a, car, automobile, tides] = ['a', 'car', 'automobile', 'tides'].map(numberWord);
    expect(toWeights(first!)).toEqual({ [a!]: 2.5, [car!]: 2.5, [automobile!]: 1.25 });
    expect(toWeights(second!)).toEqual({ [tides!]: 2.5 });
    const [{ url, body, headers }] = (await calls()) as [Awaited<ReturnType<typeof calls>>[number]];
    expect({ url, body }).toEqual({
      url: `${URL}/embed_sparse`,
      body: { inputs: ['a car', 'tides'], truncate: true },
    });
    expect(headers).toMatchObject({ authorization: `Bearer ${KEY}` });
  });

  it('has the name of the model, or else the URL, as its id', () => {
    expect(open().modelId).toBe(URL);
    expect(open({ SPARSE_EMBEDDINGS_MODEL: 'splade-v3' }).modelId).toBe('splade-v3');
    const secretUrl = 'https://user:secret@models.test/tei/?key=secret';
    expect(open({ SPARSE_EMBEDDINGS_URL: secretUrl }).modelId).toBe('https://models.test/tei');
  });

  it('accepts a URL with a slash at the end, and needs no key', async () => {
    await expect(
      open({ SPARSE_EMBEDDINGS_URL: `${URL}/`, SPARSE_EMBEDDINGS_API_KEY: '' }).embed(['a'], 'query'),
    ).rejects.toMatchObject({ status: 401 });
    const [{ url, headers }] = (await calls()) as [Awaited<ReturnType<typeof calls>>[number]];
    expect(url).toBe(`${URL}/embed_sparse`);
    expect(headers).not.toHaveProperty('authorization');
  });

  it('sends at most 32 texts per call, and returns the weights in the order of the texts', async () => {
    const texts = Array.from({ length: 70 }, (_, index) => `number${'x'.repeat(index)}`);
    const found = await open().embed(texts, 'document');
    expect(found.map(({ indexes }) => [...indexes])).toEqual(
      texts.map((text) => [numberWord(text.match(/\p{L}+/u)![0])]),
    );
    const sizes = (await calls()).map(({ note }) => (note as { texts: string[] }).texts.length);
    expect(sizes.toSorted((a, b) => a - b)).toEqual([6, 32, 32]);
  });

  it('keeps the 512 largest weights of a text', async () => {
    const row = Array.from({ length: 600 }, (_, index) => ({ index, value: 1 + (index % 600) }));
    const { indexes, values } = await embedWithAnswer([row]);
    expect(indexes).toHaveLength(512);
    expect(indexes[0]).toBe(599);
    expect(values.at(-1)).toBe(1 + 600 - 512);
  });

  it('accepts a text without weights', async () => {
    expect((await embedWithAnswer([[]])).indexes).toHaveLength(0);
  });

  it.each<[string, unknown]>([
    ['no list', [{ index: 1, value: 1 }]],
    ['null for a text', [null]],
    ['too few lists', []],
    ['too many lists', [[], []]],
    ['null for a weight', [[null]]],
    ['no index', [[{ value: 1 }]]],
    ['a negative index', [[{ index: -1, value: 1 }]]],
    ['an index that is a fraction', [[{ index: 1.5, value: 1 }]]],
    ['an index that is a text', [[{ index: '1', value: 1 }]]],
    ['an index without end', [[{ index: 1e300, value: 1 }]]],
    ['no value', [[{ index: 1 }]]],
    ['a value that is a text', [[{ index: 1, value: '1' }]]],
    ['a value of zero', [[{ index: 1, value: 0 }]]],
    ['a negative value', [[{ index: 1, value: -1 }]]],
    ['a value without end', [[{ index: 1, value: 1e300 }]]],
    [
      'an index twice',
      [
        [
          { index: 1, value: 1 },
          { index: 1, value: 2 },
        ],
      ],
    ],
    ['an object', {}],
  ])('rejects an answer with %s, without a retry and with the name of the setting', async (_, rows) => {
    await expect(embedWithAnswer(rows)).rejects.toMatchObject({
      code: 'upstream',
      retryable: false,
      message: expect.stringContaining('SPARSE_EMBEDDINGS_URL'),
    });
    expect(await calls()).toHaveLength(1);
  });

  it('reports that the model is no learned sparse model', async () => {
    await vendors.current.hold({ 'text-embeddings-inference': { isDense: true } });
    const error = expect.objectContaining({
      retryable: false,
      status: 424,
      message: expect.stringMatching(/SPARSE_EMBEDDINGS_URL answered 424.*SPLADE pooling/),
    });
    await expect(open().embed(['a'], 'document')).rejects.toEqual(error);
  });

  it('retries a document after a temporary failure, and does not retry a query', async () => {
    await vendors.current.fail({ kind: 'status', status: 503 });
    expect(await open().embed(['a'], 'document')).toHaveLength(1);
    expect(await calls()).toHaveLength(2);
    await vendors.current.fail({ kind: 'status', status: 503 });
    await expect(open().embed(['a'], 'query')).rejects.toMatchObject({ retryable: true, status: 503 });
    expect(await calls()).toHaveLength(3);
  });

  it.each(['silent', 'silent body', 'cut'] as const)(
    'fails for a query if the answer is %s',
    async (kind) => {
      await vendors.current.fail({ kind });
      await expect(open({}, SILENCE_SECONDS).embed(['a'], 'query')).rejects.toMatchObject({
        retryable: true,
        message: expect.stringContaining('SPARSE_EMBEDDINGS_URL'),
      });
    },
  );
});
