import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Upstream } from '#src/lib/errors.ts';
import type { Logger } from '#src/lib/log.ts';
import { type BatchedVectorCalls, createBatchedEmbedder } from '#src/models/embedding/shared/batched.ts';
import { toUnitVector } from '#src/models/embedding/shared/unit-vector.ts';
import { loadTokenizer } from '#src/tokenizer/tokenizer.ts';
import { runs } from '#test/support/seed.ts';

/** Returns an embedder with a correct model, the list of calls and the log notes. */
function createEmbedder(calls: Partial<BatchedVectorCalls>) {
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

describe('random texts', () => {
  const text = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
    fc
      .array(fc.constantFrom('ferry', ' ', ' international', '潮汐', '\u{1f600}', '\ud83d', '12', '--'), {
        maxLength: 30,
      })
      .map((pieces) => pieces.join('')),
  );
  const texts = fc.array(text, { maxLength: 20 });
  const batching = { batchSize: fc.integer({ min: 1, max: 8 }), workers: fc.integer({ min: 1, max: 4 }) };
  /** Returns numbers that depend on the content of a text. */
  const computeVector = (of: string) => [
    1,
    of.length,
    [...of].reduce((sum, c) => sum + c.codePointAt(0)!, 0),
  ];
  const expectVectors = (vectors: Float32Array[], sent: string[]) =>
    expect(vectors).toEqual(sent.map((each) => toUnitVector(computeVector(each))));
  const embedBatch: BatchedVectorCalls['embedBatch'] = async (batch) => batch.map(computeVector);

  it('are sent once and in order, in batches within the limits', async () => {
    const { count } = await loadTokenizer();
    const tokensPerCall = fc.option(fc.integer({ min: 1, max: 60 }), { nil: undefined });
    const settings = fc.record({ ...batching, tokensPerCall });
    await fc.assert(
      fc.asyncProperty(texts, settings, async (given, limits) => {
        const asked: string[][] = [];
        const { embedder } = createEmbedder({
          ...limits,
          embedBatch: async (batch) => {
            asked.push(batch);
            return batch.map(computeVector);
          },
        });
        expectVectors(await embedder.embed(given, 'document'), given);
        expect(asked.flat()).toEqual(given);
        for (const batch of asked) {
          expect(batch.length).toBeGreaterThan(0);
          expect(batch.length).toBeLessThanOrEqual(limits.batchSize);
          const tokens = batch.reduce((sum, each) => sum + count(each), 0);
          if (batch.length > 1 && limits.tokensPerCall)
            expect(tokens).toBeLessThanOrEqual(limits.tokensPerCall);
        }
      }),
      { numRuns: runs(400) },
    );
  });

  it('are cut only if they exceed a limit of the model', async () => {
    const { count } = await loadTokenizer();
    const tokensPerText = fc.integer({ min: 1, max: 20 });
    const unitsPerText = fc.integer({ min: 1, max: 40 });
    await fc.assert(
      fc.asyncProperty(texts, tokensPerText, unitsPerText, async (given, tokens, units) => {
        const { embedder, asked } = createEmbedder({ tokensPerText: tokens, unitsPerText: units });
        await embedder.embed(given, 'document');
        for (const [at, sent] of asked.flat().entries()) {
          expect(given[at]!.startsWith(sent)).toBe(true);
          expect(sent.length).toBeLessThanOrEqual(units);
          expect(count(sent)).toBeLessThanOrEqual(tokens);
          if (given[at]!.length <= units && count(given[at]!) <= tokens) expect(sent).toBe(given[at]);
        }
      }),
      { numRuns: runs(400) },
    );
  });

  it('get their own vectors if the provider rejects batches of any size', async () => {
    const settings = fc.record(batching);
    await fc.assert(
      fc.asyncProperty(texts, settings, fc.integer({ min: 1, max: 8 }), async (given, limits, most) => {
        const { embedder } = createEmbedder({
          ...limits,
          embedBatch: async (batch, ...rest) => {
            if (batch.length <= most) return embedBatch(batch, ...rest);
            throw new Upstream('The batch is too large.', { retryable: false, status: 413 });
          },
        });
        expectVectors(await embedder.embed(given, 'document'), given);
      }),
      { numRuns: runs(400) },
    );
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
