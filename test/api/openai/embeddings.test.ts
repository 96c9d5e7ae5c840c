import { expect, it } from 'vitest';
import { call } from '#test/support/client.ts';
import { embeddings, failure } from '#test/support/openai-shapes.ts';
import { createTenant } from '#test/support/tenants.ts';

interface Embeddings {
  data: { index: number; embedding: number[] | string }[];
  usage: { prompt_tokens: number };
  warnings?: { field: string }[];
}

const PATH = '/openai/v1/embeddings';

async function embedding() {
  const { key } = await createTenant();
  await call('POST', '/api/v1/pipelines', { key, body: { name: 'papers' } });
  await call('POST', '/api/v1/retrievers', { key, body: { name: 'all' } });
  const ask = <Body>(body: object) => call<Body>('POST', PATH, { key, body: { model: 'papers', ...body } });
  return {
    async embed(body: object) {
      const answer = await ask<Embeddings>(body);
      expect(answer.status, JSON.stringify(answer.body)).toBe(200);
      embeddings.parse(answer.body);
      return answer.body;
    },
    async refused(body: object) {
      const answer = await ask(body);
      expect(answer.status).toBe(400);
      return failure.parse(answer.body).error;
    },
  };
}

it('embeds a text or a list of texts with the pipeline’s model, in order', async () => {
  const { embed } = await embedding();
  const [one, other] = (await embed({ input: ['The harbour is deep.', 'Cats sleep.'] })).data;
  expect([one!.index, other!.index]).toEqual([0, 1]);
  const alone = await embed({ input: 'Cats sleep.' });
  expect(alone.data).toHaveLength(1);
  expect(alone.data[0]!.embedding).toEqual(other!.embedding);
  expect(one!.embedding).not.toEqual(other!.embedding);
  expect(alone.usage.prompt_tokens).toBeGreaterThan(1);
  const length = (one!.embedding as number[]).length;
  expect((await embed({ input: 'Cats sleep.', dimensions: length })).data).toEqual(alone.data);
});

it('embeds tokens as the text that they stand for', async () => {
  const { embed } = await embedding();
  // "hello world" and "Cats" in the vocabulary cl100k_base.
  const [hello, cats] = (await embed({ input: ['hello world', 'Cats'] })).data;
  const listed = (
    await embed({
      input: [
        [15339, 1917],
        [34, 1900],
      ],
    })
  ).data;
  expect(listed.map(({ embedding: each }) => each)).toEqual([hello!.embedding, cats!.embedding]);
  expect((await embed({ input: [15339, 1917] })).data[0]!.embedding).toEqual(hello!.embedding);
});

it('shortens vectors on request, with a warning', async () => {
  const { embed } = await embedding();
  const input = 'The harbour is deep.';
  const whole = (await embed({ input })).data[0]!.embedding as number[];
  const short = await embed({ input, dimensions: 16 });
  const vector = short.data[0]!.embedding as number[];
  expect(vector).toHaveLength(16);
  expect(Math.hypot(...vector)).toBeCloseTo(1, 5);
  const scale = Math.hypot(...whole.slice(0, 16));
  for (const [at, value] of vector.entries()) expect(value * scale).toBeCloseTo(whole[at]!, 5);
  expect(short.warnings?.map(({ field }) => field)).toEqual(['dimensions']);
});

it('returns base64 of little-endian floats on request', async () => {
  const { embed } = await embedding();
  const input = 'The harbour is deep.';
  const plain = (await embed({ input })).data[0]!.embedding as number[];
  const coded = (await embed({ input, encoding_format: 'base64' })).data[0]!.embedding as string;
  const bytes = Buffer.from(coded, 'base64');
  expect(plain.map((_, at) => bytes.readFloatLE(4 * at))).toEqual(plain);
  expect(bytes.length).toBe(4 * plain.length);
});

it('rejects what it cannot honour, with the parameter', async () => {
  const { refused } = await embedding();
  expect(await refused({ input: 'x', dimensions: 100_000 })).toMatchObject({ param: 'dimensions' });
  expect(await refused({ input: 'x', model: 'all' })).toMatchObject({
    param: 'model',
    message: expect.stringContaining('retriever'),
  });
  for (const input of [
    [100_256],
    [[1], []],
    [[-1]],
    ['x', [1]],
    [1, 'x'],
    [],
    '',
    ['x', ''],
    Array.from({ length: 2049 }, () => 'x'),
  ]) {
    expect((await refused({ input })).param, JSON.stringify(input).slice(0, 40)).toMatch(/^input/);
  }
});
