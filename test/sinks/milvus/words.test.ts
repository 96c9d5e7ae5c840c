import { describe, expect, it } from 'vitest';
import { toQueryWords, toWordsText } from '#src/sinks/milvus/search/words.ts';

const byteLength = (text: string) => new TextEncoder().encode(text).length;
const countEach = (text: string) => {
  const counts: Record<string, number> = {};
  for (const word of text.split(' ')) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
};

describe('text of the words of a chunk', () => {
  it('repeats each term as often as it occurs', () => {
    const text = toWordsText({ terms: ['en:walrus', 'en:seal'], frequencies: [3, 1] });
    expect(countEach(text)).toEqual({ 'en:walrus': 3, 'en:seal': 1 });
    expect(toWordsText({ terms: [], frequencies: [] })).toBe('');
  });

  it('leaves out repetitions first if the text is too long for a field', () => {
    const terms = Array.from({ length: 5_000 }, (_, at) => `th:ก${at}`);
    const text = toWordsText({ terms, frequencies: terms.map(() => 255) });
    expect(byteLength(text)).toBeLessThanOrEqual(65_535);
    expect(byteLength(text)).toBeGreaterThan(65_000);
    expect(Object.keys(countEach(text))).toHaveLength(5_000);
  });
});

describe('text of a query', () => {
  const query = (...weights: [string, number][]) => toQueryWords({ finding: new Map(weights) });

  it('repeats terms in proportion to their weights', () => {
    const { text, scale } = query(['en:walrus', 2], ['fi:~_abc', 0.5], ['ko:가', 0.01])!;
    expect(countEach(text)).toEqual({ 'en:walrus': 20, 'fi:~_abc': 5, 'ko:가': 1 });
    expect(scale).toBeCloseTo(0.1, 10);
  });

  it('is undefined without a weight', () => {
    expect(query()).toBeUndefined();
    expect(query(['en:walrus', 0])).toBeUndefined();
  });

  it('repeats less, and leaves out the terms with the lowest weights, if the text would be too long', () => {
    const many = (count: number) =>
      query(...Array.from({ length: count }, (_, at): [string, number] => [`en:word${at}`, 1]))!;
    expect(many(1_000)).toMatchObject({ scale: 0.2 });
    const { text, scale } = many(20_000);
    expect(scale).toBe(1);
    expect(byteLength(text)).toBeLessThanOrEqual(100_000);
    expect(text.startsWith('en:word0 en:word1 ')).toBe(true);
  });
});
