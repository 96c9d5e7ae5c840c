import { describe, expect, it } from 'vitest';
import { type MatchableChunk, matchResults } from '#src/evaluation/match-results.ts';
import { computeNdcg, computeRankingMetrics } from '#src/evaluation/metrics.ts';

const NONE = { passages: [], pages: [], documents: [] };
const judged = (relevances: Record<string, number>) => ({
  ...NONE,
  documents: Object.entries(relevances).map(([document_id, relevance]) => ({ document_id, relevance })),
});
const chunk = (documentId: string, more: Partial<MatchableChunk> = {}): MatchableChunk => ({
  documentId,
  text: `About ${documentId}.`,
  ...more,
});
const measure = (ranking: string[], relevances: Record<string, number>) =>
  computeRankingMetrics(
    matchResults(
      ranking.map((id) => chunk(id)),
      judged(relevances),
    ),
  );

describe('ranking measures', () => {
  // Expected values are from the README and the tests of pytrec_eval, which calls trec_eval.
  it.each([
    ['the first query of the README', ['d3', 'd1', 'd2'], { d1: 0, d2: 1, d3: 0 }, 0.5],
    ['the second query of the README', ['d1', 'd3', 'd2'], { d2: 1, d3: 1 }, 0.6934264036172708],
    ['a relevant document at rank 1', ['d2', 'd3', 'd1'], { d1: 0, d2: 1, d3: 0 }, 1],
    ['a relevant document at rank 2', ['d1', 'd2', 'd3'], { d1: 0, d2: 1, d3: 0 }, 0.6309297535714575],
  ])('give the nDCG that trec_eval gives for %s', (_name, ranking, relevances, expected) => {
    expect(measure(ranking, relevances)?.['ndcg@10']).toBeCloseTo(expected, 12);
  });

  it('cut rankings as ndcg_cut of trec_eval does', () => {
    const cut = (k: number) => computeNdcg([0, 0, 1], [1], k);
    expect([1, 2, 3, 1000].map(cut)).toEqual([0, 0, 0.5, 0.5]);
  });

  it('grade relevance, worked by hand', () => {
    // Gains 1, 3, 0, 2 with discounts 1, log2(3), 2, log2(5). The ideal order is 3, 2, 1.
    const dcg = 1 + 3 / Math.log2(3) + 2 / Math.log2(5);
    const ideal = 3 + 2 / Math.log2(3) + 1 / 2;
    const found = measure(['low', 'high', 'other', 'middle'], { low: 1, high: 3, middle: 2 });
    expect(found?.['ndcg@10']).toBeCloseTo(dcg / ideal, 12);
    expect(found).toMatchObject({
      'hit@1': 1,
      'recall@1': 1 / 3,
      'recall@3': 2 / 3,
      'recall@5': 1,
      mrr: 1,
    });
  });

  it('are 0 if nothing is found, and absent if nothing is expected', () => {
    const missed = measure(['a', 'b'], { z: 1 });
    expect(Object.values(missed!)).toEqual(Object.values(missed!).map(() => 0));
    expect(measure(['a'], {})).toBeUndefined();
    expect(measure(['a'], { a: 0 })).toBeUndefined();
    expect(measure([], { a: 1 })).toMatchObject({ mrr: 0, 'hit@10': 0 });
  });

  it('count a document once, at the rank of its first chunk', () => {
    const found = measure(['a', 'a', 'a', 'b', 'b', 'z'], { z: 1 });
    expect(found).toMatchObject({ mrr: 1 / 3, 'hit@1': 0, 'hit@3': 1 });
  });

  it('give a cutoff no result beyond it', () => {
    const ranking = Array.from({ length: 11 }, (_, at) => `d${at + 1}`);
    expect(measure(ranking, { d11: 1 })).toMatchObject({ 'hit@10': 0, 'ndcg@10': 0, mrr: 1 / 11 });
    expect(measure(ranking, { d10: 1 })).toMatchObject({ 'hit@10': 1, 'hit@5': 0 });
  });
});

describe('matching of results', () => {
  it('finds passages without regard to white space, case and compatibility characters', () => {
    const expectations = { ...NONE, passages: [{ text: 'the  Rent\nis ９００', relevance: 1 }] };
    const found = matchResults(
      [chunk('a'), chunk('b', { text: 'As agreed, THE rent is 900 euros.' })],
      expectations,
    );
    expect(found).toMatchObject({ ranks: [2], chunkRelevances: [0, 1] });
    const inOther = { ...NONE, passages: [{ text: 'About', document_id: 'b', relevance: 1 }] };
    expect(matchResults([chunk('a'), chunk('b')], inOther).ranks).toEqual([2]);
  });

  it('finds pages within the range of a chunk, counted from 1', () => {
    const expect3 = { ...NONE, pages: [{ document_id: 'a', page: 3, relevance: 1 }] };
    const ranksFor = (...chunks: MatchableChunk[]) => matchResults(chunks, expect3).ranks;
    expect(ranksFor(chunk('a', { startPage: 2 }))).toEqual([1]);
    expect(ranksFor(chunk('a', { startPage: 0, endPage: 2 }))).toEqual([1]);
    expect(ranksFor(chunk('a', { startPage: 3, endPage: 4 }))).toEqual([null]);
    expect(ranksFor(chunk('b', { startPage: 2 }), chunk('a'))).toEqual([null]);
  });

  it('keeps nDCG at most 1 if a chunk meets several expectations', () => {
    const expectations = {
      passages: [{ text: 'about a', relevance: 3 }],
      pages: [{ document_id: 'a', page: 1, relevance: 1 }],
      documents: [{ document_id: 'a', relevance: 2 }],
    };
    const found = matchResults([chunk('a', { startPage: 0 })], expectations);
    expect(found).toMatchObject({ ranks: [1, 1, 1], chunkRelevances: [3], gains: [3, 2, 1] });
    expect(computeRankingMetrics(found)).toMatchObject({ 'ndcg@10': 1, 'recall@1': 1 });
  });
});
