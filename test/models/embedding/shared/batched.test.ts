import { describe, expect, it } from 'vitest';
import type { Logger } from '#src/lib/log.ts';
import { type BatchedCalls, batchedEmbedder } from '#src/models/embedding/shared/batched.ts';

/** An embedder of a model that says nothing wrong, what it was asked, and what was noted. */
function embedderOf(calls: Partial<BatchedCalls>) {
  const asked: string[][] = [];
  const notes: unknown[] = [];
  const note = (event: string, facts?: object) => notes.push({ event, ...facts });
  const embedder = batchedEmbedder({
    ...{ modelId: 'm', dimension: 0, batchSize: 100, workers: 1, retries: 0 },
    log: { info: note, warn: note, error: note } satisfies Logger,
    async embedBatch(texts) {
      asked.push(texts);
      return texts.map((text) => [1, text.length]);
    },
    ...calls,
  });
  return { embedder, asked, notes };
}

describe('batches', () => {
  it('hold no more tokens than the provider takes, and as many as it does', async () => {
    const { embedder, asked } = embedderOf({ tokensPerCall: 10 });
    const texts = ['one two three four', 'one two', 'one two three four', 'one two three four five', 'one'];
    const vectors = await embedder.embed(texts, 'document');
    expect(asked).toEqual([texts.slice(0, 3), texts.slice(3)]);
    expect(vectors).toHaveLength(5);
  });

  it('count by tokens and not by letters', async () => {
    const { embedder, asked } = embedderOf({ tokensPerCall: 200, batchSize: 2 });
    const word = ' international'.repeat(90);
    await embedder.embed([word, word, '漢字'.repeat(60), 'a'], 'document');
    expect(asked.map((texts) => texts.length)).toEqual([2, 1, 1]);
  });

  it('give a text of its own a call that is too long for any', async () => {
    const { embedder, asked } = embedderOf({ tokensPerCall: 3 });
    await embedder.embed(['one two', 'one two three four five', 'one'], 'document');
    expect(asked).toEqual([['one two'], ['one two three four five'], ['one']]);
  });
});

describe('a text that is longer than the model reads', () => {
  it('loses its end between words, and a note says so', async () => {
    const { embedder, asked, notes } = embedderOf({ tokensPerText: 4 });
    await embedder.embed(['one two three four', 'one two three four five six', 'one'], 'document');
    expect(asked).toEqual([['one two three four', 'one two three four', 'one']]);
    expect(notes).toEqual([{ event: 'embedding_text_cut', model: 'm', texts: 1, tokens: 4 }]);
  });

  it('is sent whole where the provider cuts it', async () => {
    const { embedder, asked, notes } = embedderOf({});
    const long = 'word '.repeat(100_000);
    await embedder.embed([long], 'document');
    expect([asked, notes]).toEqual([[[long]], []]);
  });
});

describe('a dimension', () => {
  it('that was asked for names its field when the model gives another', async () => {
    const { embedder } = embedderOf({ dimension: 3, dimensionField: 'dimensions' });
    await expect(embedder.embed(['a'], 'query')).rejects.toThrow(
      'dimensions: The model gave a vector of length 2, not 3.',
    );
  });

  it('is what the first vectors have', async () => {
    const { embedder } = embedderOf({});
    expect(embedder.dimension).toBe(0);
    await embedder.embed(['a'], 'query');
    expect(embedder.dimension).toBe(2);
  });
});
