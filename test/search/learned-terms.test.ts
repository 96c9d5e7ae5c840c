import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { SparseVector } from '#src/ports/index-types.ts';
import { analyseChunk } from '#src/search/analysis.ts';
import { LARGEST_FREQUENCY, quantizeWeights, weighQueryTerms } from '#src/search/learned-terms.ts';
import { runs } from '#test/support/seed.ts';

const toVector = (weights: Record<number, number>): SparseVector => ({
  indexes: Uint32Array.from(Object.keys(weights), Number),
  values: Float32Array.from(Object.values(weights)),
});

describe('the weights of a chunk', () => {
  test('are stored relative to the largest one', () => {
    expect(quantizeWeights(toVector({ 7: 2, 1012: 1, 30521: 0.5 }))).toEqual({
      terms: ['#7', '#1012', '#30521'],
      frequencies: [255, 128, 64],
      largest: 2,
    });
  });

  test('are left out if they are less than half of the smallest frequency', () => {
    expect(quantizeWeights(toVector({ 1: 510, 2: 1.01, 3: 0.99 })).terms).toEqual(['#1', '#2']);
  });

  test('may be absent', () => {
    expect(quantizeWeights(toVector({}))).toEqual({ terms: [], frequencies: [], largest: 0 });
  });

  test('differ from the stored ones by at most half of a step', () => {
    const value = fc.float({ min: Math.fround(1e-3), max: 1e6, noNaN: true });
    fc.assert(
      fc.property(fc.array(value, { minLength: 1, maxLength: 40 }), (values) => {
        const weights = toVector(Object.fromEntries(values.entries()));
        const { terms, frequencies, largest } = quantizeWeights(weights);
        for (const [index, weight] of values.entries()) {
          const at = terms.indexOf(`#${index}`);
          const stored = at === -1 ? 0 : (frequencies[at]! / LARGEST_FREQUENCY) * largest;
          expect(Math.abs(stored - weight)).toBeLessThanOrEqual((0.5001 * largest) / LARGEST_FREQUENCY);
        }
        expect(Math.max(...frequencies)).toBe(LARGEST_FREQUENCY);
        expect(Math.min(...frequencies)).toBeGreaterThan(0);
      }),
      { numRuns: runs(100) },
    );
  });

  test('replace the words of the chunk, while its language is kept', () => {
    const weights = toVector({ 5: 3 });
    expect(analyseChunk({ text: 'the ferries', headings: ['Ships'], language: 'en', weights })).toEqual({
      language: 'en',
      terms: ['#5'],
      frequencies: [255],
      length: 3,
    });
  });

  test('have terms that no text has', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('#5', '5', '#12 #5', 'a#5'));
    const property = fc.property(text, fc.constantFrom('en', 'de', 'zh', undefined), (given, language) => {
      const { terms } = analyseChunk({ text: given, ...(language && { language }) });
      expect(terms.filter((term) => /^#\d+$/.test(term))).toEqual([]);
    });
    fc.assert(property, { numRuns: runs(40) });
  });
});

describe('the weights of a query', () => {
  test('belong to the same terms as those of chunks', () => {
    expect([...weighQueryTerms(toVector({ 7: 2, 1012: 0.5 }))]).toEqual([
      ['#7', 2],
      ['#1012', 0.5],
    ]);
  });

  test('are limited to the 256 largest', () => {
    const many = toVector(Object.fromEntries(Array.from({ length: 300 }, (_, index) => [index, 1 + index])));
    const weights = weighQueryTerms(many);
    expect(weights.size).toBe(256);
    expect(Math.min(...weights.values())).toBe(1 + 300 - 256);
  });
});
