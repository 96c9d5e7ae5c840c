import type { Passage, Question } from './corpus.ts';
import { createRandom } from './random.ts';
import type { WordIndex } from './ranks.ts';
import { clusterVectors, computeDirection, dot } from './vectors.ts';

/** Rates each shard for a question without querying it. */
export type Rating = (question: Question) => number[];

/** Rates shards by the nearest of `count` centroids per shard, which a directory would store. */
export function rateByCentroids(passages: Passage[], shards: number[][], count: number): Rating {
  const next = createRandom(3);
  const centroids = shards.map((numbers) => {
    const vectors = numbers.map((number) => passages[number]!.vector);
    if (count === 1) return [computeDirection(vectors)];
    const groups = clusterVectors(vectors, count, next);
    return [...new Set(groups)].map((group) =>
      computeDirection(vectors.filter((_, at) => groups[at] === group)),
    );
  });
  return ({ vector }) => centroids.map((own) => Math.max(...own.map((centroid) => dot(centroid, vector))));
}

/**
 * Rates shards by the highest BM25 score that a passage of the shard can have. A directory would store the
 * best impact of each term in each shard. A shard below the last wanted score cannot contain a hit.
 */
export function rateByWords(index: WordIndex, shards: number[][]): Rating {
  const shardByPassage = new Map(
    shards.flatMap((numbers, shard) => numbers.map((number) => [number, shard] as const)),
  );
  const best = new Map<string, Map<number, number>>();
  const getBestImpacts = (term: string): Map<number, number> => {
    let found = best.get(term);
    if (found === undefined) {
      found = new Map();
      for (const { passage, impact } of index.postings(term)) {
        const shard = shardByPassage.get(passage)!;
        found.set(shard, Math.max(found.get(shard) ?? 0, impact));
      }
      best.set(term, found);
    }
    return found;
  };
  return ({ text }) => {
    const bounds = shards.map(() => 0);
    for (const [term, weight] of index.weights(text)) {
      for (const [shard, impact] of getBestImpacts(term)) bounds[shard]! += weight * impact;
    }
    return bounds;
  };
}

/** Counts the pairs of terms and shards that `rateByWords` needs. */
export function countTermShardPairs(passages: Passage[], shards: number[][]): number {
  return shards.reduce(
    (sum, numbers) => sum + new Set(numbers.flatMap((number) => [...passages[number]!.terms.keys()])).size,
    0,
  );
}

/** Returns the shards sorted by rating, best first. */
export function sortByRating(ratings: number[]): number[] {
  return ratings.map((_, shard) => shard).sort((a, b) => ratings[b]! - ratings[a]! || a - b);
}

/** Takes shards from both lists in turn, each shard once. */
export function interleave(one: number[], other: number[]): number[] {
  return [...new Set(one.flatMap((shard, at) => [shard, other[at]!]))];
}
