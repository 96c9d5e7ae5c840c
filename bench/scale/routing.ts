import type { Passage, Question } from './corpus.ts';
import { seeded } from './random.ts';
import type { WordIndex } from './ranks.ts';
import { clustered, directionOf, dot } from './vectors.ts';

/** How good each shard looks for a question, without asking it. */
export type Outlook = (question: Question) => number[];

/** Centroids of a shard that the directory would keep: `count` of them, the nearest of which speaks for it. */
export function byCentroids(passages: Passage[], shards: number[][], count: number): Outlook {
  const next = seeded(3);
  const centroids = shards.map((numbers) => {
    const vectors = numbers.map((number) => passages[number]!.vector);
    if (count === 1) return [directionOf(vectors)];
    const groupOf = clustered(vectors, count, next);
    return [...new Set(groupOf)].map((group) =>
      directionOf(vectors.filter((_, at) => groupOf[at] === group)),
    );
  });
  return ({ vector }) => centroids.map((own) => Math.max(...own.map((centroid) => dot(centroid, vector))));
}

/**
 * The highest BM25 that any passage of a shard can have, from the best impact of each term in each shard: what the
 * directory would keep of words. No shard below the last wanted score can hold a hit.
 */
export function byWords(index: WordIndex, shards: number[][]): Outlook {
  const shardOf = new Map(
    shards.flatMap((numbers, shard) => numbers.map((number) => [number, shard] as const)),
  );
  const best = new Map<string, Map<number, number>>();
  const bestOf = (term: string): Map<number, number> => {
    let found = best.get(term);
    if (found === undefined) {
      found = new Map();
      for (const { passage, impact } of index.postings(term)) {
        const shard = shardOf.get(passage)!;
        found.set(shard, Math.max(found.get(shard) ?? 0, impact));
      }
      best.set(term, found);
    }
    return found;
  };
  return ({ text }) => {
    const bounds = shards.map(() => 0);
    for (const [term, weight] of index.weights(text)) {
      for (const [shard, impact] of bestOf(term)) bounds[shard]! += weight * impact;
    }
    return bounds;
  };
}

/** Term-and-shard pairs that `byWords` needs to know. */
export function wordSketchSize(passages: Passage[], shards: number[][]): number {
  return shards.reduce(
    (sum, numbers) => sum + new Set(numbers.flatMap((number) => [...passages[number]!.terms.keys()])).size,
    0,
  );
}

/** The shards, the one that looks best first. */
export function inOrder(outlook: number[]): number[] {
  return outlook.map((_, shard) => shard).sort((a, b) => outlook[b]! - outlook[a]! || a - b);
}

/** The best of the one and the best of the other in turn, each shard once. */
export function alternating(one: number[], other: number[]): number[] {
  return [...new Set(one.flatMap((shard, at) => [shard, other[at]!]))];
}
