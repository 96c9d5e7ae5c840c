import { describe, expect, it } from 'vitest';
import type { Logger } from '#src/lib/log.ts';
import { type BatchedCalls, createBatchedEmbedder } from '#src/models/embedding/shared/batched.ts';

/** Returns an embedder with a correct model, the list of calls and the log notes. */
function createEmbedder(calls: Partial<BatchedCalls>) {
  const asked: string[][] = [];
  const notes: unknown[] = [];
  const note = (event: string, facts?: object) => notes.push({ event, ...facts });
  const embedder = createBatchedEmbedder({
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
  it('contain as many texts as the token limit allows', async () => {
    const { embedder, asked } = createEmbedder({ tokensPerCall: 10 });
    const texts = ['one two three four', 'one two', 'one two three four', 'one two three four five', 'one'];
    const vectors = await embedder.embed(texts, 'document');
    expect(asked).toEqual([texts.slice(0, 3), texts.slice(3)]);
    expect(vectors).toHaveLength(5);
  });

  it('are counted in tokens rather than characters', async () => {
    const { embedder, asked } = createEmbedder({ tokensPerCall: 200, batchSize: 2 });
    const word = ' international'.repeat(90);
    await embedder.embed([word, word, '漢字'.repeat(60), 'a'], 'document');
    expect(asked.map((texts) => texts.length)).toEqual([2, 1, 1]);
  });

  it('send a text above the limit in a separate call', async () => {
    const { embedder, asked } = createEmbedder({ tokensPerCall: 3 });
    await embedder.embed(['one two', 'one two three four five', 'one'], 'document');
    expect(asked).toEqual([['one two'], ['one two three four five'], ['one']]);
  });
});

describe('text longer than the model limit', () => {
  it('is truncated at a word boundary and logged', async () => {
    const { embedder, asked, notes } = createEmbedder({ tokensPerText: 4 });
    await embedder.embed(['one two three four', 'one two three four five six', 'one'], 'document');
    expect(asked).toEqual([['one two three four', 'one two three four', 'one']]);
    expect(notes).toEqual([{ event: 'embedding_text_cut', model: 'm', texts: 1, tokens: 4 }]);
  });

  it('is sent whole if the provider truncates', async () => {
    const { embedder, asked, notes } = createEmbedder({});
    const long = 'word '.repeat(100_000);
    await embedder.embed([long], 'document');
    expect([asked, notes]).toEqual([[[long]], []]);
  });
});

describe('vector dimension', () => {
  it('names its field if the model returns another length', async () => {
    const { embedder } = createEmbedder({ dimension: 3, dimensionField: 'dimensions' });
    await expect(embedder.embed(['a'], 'query')).rejects.toThrow(
      'dimensions: The model returned a vector of length 2, not 3.',
    );
  });

  it('is taken from the first vectors', async () => {
    const { embedder } = createEmbedder({});
    expect(embedder.dimension).toBe(0);
    await embedder.embed(['a'], 'query');
    expect(embedder.dimension).toBe(2);
  });
});
