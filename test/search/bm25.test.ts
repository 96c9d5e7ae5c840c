import { describe, expect, test } from 'vitest';
import type { TermStatistics } from '#src/ports/shard.ts';
import { countPostings, SparseScores } from '#src/search/bm25.ts';
import { MASK_BYTES, MAX_CHUNKS, ShardMemory } from '#src/search/memory.ts';
import { B, K1, listLanguages, weighTerms } from '#src/search/term-weights.ts';

const statistics: TermStatistics = {
  documentCount: 10,
  totalLength: 100,
  documentFrequency: { 'en:harbour': 2, 'de:harbour': 1, 'en:the': 9 },
};
const idf = (n: number) => Math.log(1 + (10 - n + 0.5) / (n + 0.5));
/** Returns a bit set of chunks. */
function bits(...locals: number[]): Uint8Array {
  const mask = new Uint8Array(MASK_BYTES);
  for (const local of locals) mask[local >> 3]! |= 1 << (local & 7);
  return mask;
}
const postings = (ids: number[], frequencies: number[]) => ({
  ids: Uint16Array.from(ids),
  frequencies: Uint8Array.from(frequencies),
});

const term = (text: string, idfShare = 1, isStopWord = false) => ({ text, idfShare, isStopWord });

describe('term weight', () => {
  test('is the share of the inverse document frequency, and stop words only affect ranking', () => {
    const { finding, ranking } = weighTerms(
      [
        { terms: [term('en:harbour', 0.5)], variants: ['en:harbour'] },
        { terms: [term('en:the', 1, true)], variants: ['en:the'] },
      ],
      statistics,
    );
    expect([...finding]).toEqual([['en:harbour', expect.closeTo(0.5 * idf(2), 12)]]);
    expect([...ranking]).toEqual([['en:the', expect.closeTo(0.1 * idf(9), 12)]]);
  });

  test('counts chunks with the word in any language and adds repeated words', () => {
    const word = { terms: [term('en:harbour')], variants: ['en:harbour', 'de:harbour'] };
    const { finding, ranking } = weighTerms([word, word], statistics);
    expect([...finding.keys()]).toEqual(['en:harbour']);
    expect(finding.get('en:harbour')).toBeCloseTo(2 * idf(3), 12);
    expect(ranking.size).toBe(0);
  });

  test('treats a word as a stop word in all languages if it is one in most chunks that contain it', () => {
    const weigh = (frequency: Record<string, number>) => {
      const word = { terms: [term('en:the', 1, true), term('it:the')], variants: ['en:the', 'it:the'] };
      const { finding, ranking } = weighTerms([word], { ...statistics, documentFrequency: frequency });
      return { finding: [...finding.keys()], ranking: [...ranking.keys()] };
    };
    expect(weigh({ 'en:the': 6, 'it:the': 1 })).toEqual({ finding: [], ranking: ['en:the', 'it:the'] });
    expect(weigh({ 'en:the': 1, 'it:the': 6 })).toEqual({ finding: ['en:the', 'it:the'], ranking: [] });
  });

  test('takes an n-gram to be in every chunk that contains its word in another language', () => {
    const part = { terms: [term('und:~harb')], variants: ['und:~harb'] };
    const weigh = (wordVariants: string[]) =>
      weighTerms([{ ...part, wordVariants }], {
        ...statistics,
        documentFrequency: { ...statistics.documentFrequency, 'und:~harb': 2 },
      }).finding.get('und:~harb');
    expect(weigh(['und:harbour', 'en:harbour', 'de:harbour'])).toBeCloseTo(idf(3), 12);
    expect(weigh(['und:harbour', 'de:harbour'])).toBeCloseTo(idf(2), 12);
  });

  test('omits words without chunks and is small for frequent words', () => {
    const weights = weighTerms(
      [
        { terms: [term('en:absent')], variants: ['en:absent'] },
        { terms: [term('en:the')], variants: ['en:the'] },
      ],
      statistics,
    );
    expect([...weights.finding]).toEqual([['en:the', expect.closeTo(idf(9), 12)]]);
    expect(listLanguages(statistics)).toEqual(['en', 'de']);
  });
});

describe('sparse scores', () => {
  const lengths = Float32Array.from([10, 20, 5]);
  const expected = (frequency: number, length: number, mean: number) =>
    frequency / (frequency + K1 * (1 - B + (B * length) / mean));
  const found = (scores: SparseScores, allowed = bits(0, 1, 2)) =>
    new Map(scores.findTop(3, allowed, 3).map(({ local, score }) => [local, score]));

  test('follow the BM25 formula for allowed chunks with a term', () => {
    const scores = new SparseScores(new ShardMemory());
    scores.start(lengths, 1, 10);
    scores.add(postings([0, 1], [1, 3]), 2);
    scores.add(postings([1], [1]), 1);
    const all = found(scores);
    expect(all.size).toBe(2);
    expect(all.get(0)).toBeCloseTo(2 * expected(1, 10, 10), 5);
    expect(all.get(1)).toBeCloseTo(2 * expected(3, 20, 10) + expected(1, 20, 10), 5);
    expect([...found(scores, bits(0)).keys()]).toEqual([0]);
    expect(scores.findTop(1, bits(0, 1, 2), 3).map(({ local }) => local)).toEqual([1]);
  });

  test('report allowed chunks that were scored so far', () => {
    const scores = new SparseScores(new ShardMemory());
    scores.start(lengths, 1, 10);
    scores.add(postings([0, 1], [1, 1]), 2);
    const before = scores.findScored(bits(1, 2), 3);
    scores.add(postings([0, 1, 2], [1, 1, 1]), 1);
    expect([...found(scores, before).keys()]).toEqual([1]);
  });

  test('saturate with k1 = 1.2 and b = .75, as documented in docs/explanation/how-retrieval-works.md', () => {
    const scores = new SparseScores(new ShardMemory());
    scores.start(lengths, 1, 10);
    scores.add(postings([0, 1, 2], [1, 3, 1]), 1);
    const all = found(scores);
    expect([0, 1, 2].map((local) => all.get(local))).toEqual([
      expect.closeTo(1 / (1 + 1.2), 5),
      expect.closeTo(3 / (3 + 0.3 + 0.9 * 2), 5),
      expect.closeTo(1 / (1 + 0.3 + 0.9 / 2), 5),
    ]);
  });

  test('of the last query are cleared in the whole shard', () => {
    const scores = new SparseScores(new ShardMemory());
    const last = MAX_CHUNKS - 1;
    const many = new Float32Array(MAX_CHUNKS).fill(10);
    scores.start(many, 1, 10);
    scores.add(postings([0, last], [1, 1]), 1);
    expect(scores.findTop(3, bits(0, last), MAX_CHUNKS)).toHaveLength(2);
    scores.start(many, 1, 10);
    expect(scores.findTop(3, bits(0, last), MAX_CHUNKS)).toEqual([]);
  });

  test('restart with each query and use the current lengths', () => {
    const scores = new SparseScores(new ShardMemory());
    const ask = (of: Float32Array, revision: number, mean: number) => {
      scores.start(of, revision, mean);
      scores.add(postings([1], [2]), 1);
      return found(scores).get(1);
    };
    expect(ask(lengths, 1, 10)).toBeCloseTo(expected(2, 20, 10), 5);
    expect(ask(lengths, 1, 10)).toBeCloseTo(expected(2, 20, 10), 5);
    expect(ask(lengths, 1, 40)).toBeCloseTo(expected(2, 20, 40), 5);
    expect(ask(Float32Array.from([10, 7, 5]), 2, 40)).toBeCloseTo(expected(2, 7, 40), 5);
  });

  test('are the dot product of the weights in an index with weights of a learned model', () => {
    const scores = new SparseScores(new ShardMemory());
    scores.startLearned(Float32Array.from([2.5, 0.5, 1]), 1);
    scores.add(postings([0, 1], [255, 51]), 3);
    scores.add(postings([1, 2], [255, 255]), 0.25);
    const all = found(scores);
    expect(all.get(0)).toBeCloseTo(3 * 2.5, 5);
    expect(all.get(1)).toBeCloseTo(3 * 0.1 + 0.25 * 0.5, 5);
    expect(all.get(2)).toBeCloseTo(0.25, 5);
  });

  test('use the method of the last start', () => {
    const scores = new SparseScores(new ShardMemory());
    const ask = () => {
      scores.add(postings([1], [2]), 1);
      return found(scores).get(1);
    };
    scores.start(lengths, 1, 10);
    const bm25 = ask();
    scores.startLearned(lengths, 1);
    expect(ask()).toBeCloseTo((2 * 20) / 255, 5);
    scores.start(lengths, 1, 10);
    expect(ask()).toBe(bm25);
  });

  test('count postings within a set', () => {
    const memory = new ShardMemory();
    expect(countPostings(memory, postings([0, 1, 9], [1, 1, 1]), bits(1, 2, 9))).toBe(2);
  });
});
