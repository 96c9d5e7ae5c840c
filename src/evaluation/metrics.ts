import type { MatchedResults } from './match-results.ts';

/** Numbers of results after which hits and recall are measured. */
export const CUTOFFS = [1, 3, 5, 10] as const;
const NDCG_CUTOFF = 10;

/** Measures of a ranking, by the names under which they are published. */
export const RANKING_METRICS = [
  ...CUTOFFS.map((k) => `hit@${k}` as const),
  ...CUTOFFS.map((k) => `recall@${k}` as const),
  'mrr',
  'ndcg@10',
] as const;
export type RankingMetric = (typeof RANKING_METRICS)[number];

/** All measures of a question. Answers are measured only if the run asks for them. */
export const METRICS = [
  ...RANKING_METRICS,
  'latency_ms',
  'said',
  'cited',
  'refused_correctly',
  'answer_latency_ms',
] as const;
export type Metric = (typeof METRICS)[number];

/** Returns whether lower values of a measure are better. */
export const isLowerBetter = (metric: string): boolean =>
  metric === 'latency_ms' || metric === 'answer_latency_ms';

/** Returns 1 if at least one expectation is met within the first `k` ranks, otherwise 0. */
export function computeHit(ranks: MatchedResults['ranks'], k: number): number {
  return ranks.some((rank) => rank !== null && rank <= k) ? 1 : 0;
}

/** Returns the share of expectations that are met within the first `k` ranks. */
export function computeRecall(ranks: MatchedResults['ranks'], k: number): number {
  return ranks.filter((rank) => rank !== null && rank <= k).length / ranks.length;
}

/** Returns 1 divided by the first rank that meets an expectation, or 0 if no rank does. */
export function computeReciprocalRank(ranks: MatchedResults['ranks']): number {
  const found = ranks.filter((rank) => rank !== null);
  return found.length === 0 ? 0 : 1 / found.reduce((first, rank) => Math.min(first, rank));
}

/**
 * Computes the normalized discounted cumulative gain of the first `k` ranks as `ndcg_cut` of trec_eval does: the
 * gain of a rank is its relevance, its discount is log2(rank + 1), and the ideal ranking has all relevant items in
 * the order of their relevance.
 */
export function computeNdcg(gains: readonly number[], relevances: readonly number[], k: number): number {
  const ideal = computeDcg(
    relevances.toSorted((a, b) => b - a),
    k,
  );
  return ideal === 0 ? 0 : computeDcg(gains, k) / ideal;
}

const computeDcg = (gains: readonly number[], k: number): number =>
  gains.slice(0, k).reduce((sum, gain, index) => sum + gain / Math.log2(index + 2), 0);

/** Computes all ranking measures of a question. Returns `undefined` if the question expects no result. */
export function computeRankingMetrics(matched: MatchedResults): Record<RankingMetric, number> | undefined {
  const { gains, ranks, relevances } = matched;
  if (ranks.length === 0) return undefined;
  return Object.fromEntries([
    ...CUTOFFS.map((k) => [`hit@${k}`, computeHit(ranks, k)]),
    ...CUTOFFS.map((k) => [`recall@${k}`, computeRecall(ranks, k)]),
    ['mrr', computeReciprocalRank(ranks)],
    ['ndcg@10', computeNdcg(gains, relevances, NDCG_CUTOFF)],
  ]) as Record<RankingMetric, number>;
}
