import { describe, expect, it } from 'vitest';
import { createLogger } from '#src/lib/log.ts';
import { createWorkersAiEmbedder } from '#src/models/embedding/workers-ai.ts';

const log = createLogger({}, 'error');

/** Returns a fake binding with the published schemas of the model. */
function bound(answer: (texts: string[]) => unknown) {
  const asked: string[][] = [];
  const AI = {
    async run(name: string, { text, ...rest }: Record<string, unknown>): Promise<unknown> {
      const texts = text as string[];
      const isRight = name === '@cf/baai/bge-m3' && Object.keys(rest).length === 0 && texts.length <= 100;
      if (!isRight || texts.some((each) => each === '')) throw new Error('5006: Error: oneOf not met');
      asked.push(texts);
      return answer(texts);
    },
  };
  return { AI, asked };
}
const buildVectors = (texts: string[]) => ({
  shape: [texts.length, 1024],
  pooling: 'cls',
  data: texts.map((text) => Array.from({ length: 1024 }, (_, at) => 1 + ((at * text.length) % 7))),
});

describe('Workers AI embedding model', () => {
  it('embeds a hundred texts per call, in order', async () => {
    const { AI, asked } = bound(buildVectors);
    const embedder = createWorkersAiEmbedder(AI, { size: 2048, workers: 1 }, { log });
    const texts = Array.from({ length: 230 }, (_, at) => 'x'.repeat(1 + (at % 9)));
    const vectors = await embedder.embed(texts, 'document');
    expect(asked.map(({ length }) => length)).toEqual([100, 100, 30]);
    expect([embedder.dimension, vectors.length]).toEqual([1024, 230]);
    const [alone] = await embedder.embed([texts[228]!], 'query');
    expect(vectors[228]).toEqual(alone);
    expect(Math.hypot(...alone!)).toBeCloseTo(1, 5);
  });

  it.each<[string, unknown, RegExp]>([
    ['another shape', { response: [] }, /no vectors/],
    ['another dimension', { data: [[1, 2]] }, /length 2, not 1024/],
    ['too few', { data: [] }, /0 vectors for 1/],
  ])('rejects an answer of %s', async (_, answer, message) => {
    const embedder = createWorkersAiEmbedder(bound(() => answer).AI, { size: 10, workers: 1 }, { log });
    const embedding = embedder.embed(['a'], 'query');
    await expect(embedding).rejects.toMatchObject({
      retryable: false,
      message: expect.stringMatching(message),
    });
  });

  it('splits a batch that is too large, and does not retry a text that is always rejected', async () => {
    const { AI, asked } = bound((texts) => {
      if (texts.length > 3) throw new Error('3006: Request is too large');
      return buildVectors(texts);
    });
    const embedder = createWorkersAiEmbedder(AI, { size: 10, workers: 1 }, { log });
    const vectors = await embedder.embed(['a', 'bb', 'ccc', 'dddd', 'e'], 'document');
    expect(asked.map(({ length }) => length)).toEqual([5, 3, 2]);
    const [alone] = await embedder.embed(['dddd'], 'document');
    expect(vectors[3]).toEqual(alone);
    expect(asked).toHaveLength(4);
    await expect(embedder.embed(['a', ''], 'document')).rejects.toMatchObject({
      retryable: false,
      status: 400,
      message: expect.stringMatching(/^A text of 0 characters was rejected: .*5006/),
    });
  });

  it('retries once after a temporary failure', async () => {
    let calls = 0;
    const { AI } = bound((texts) => {
      calls += 1;
      if (calls === 1) throw new Error('3040: Capacity temporarily exceeded');
      return buildVectors(texts);
    });
    const embedder = createWorkersAiEmbedder(AI, { size: 10, workers: 1 }, { log });
    expect(await embedder.embed(['a'], 'query')).toHaveLength(1);
    expect(calls).toBe(2);
  });
});
