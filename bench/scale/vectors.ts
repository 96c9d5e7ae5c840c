/** Returns the dot product. The measured vectors have length 1 or are means of such vectors. */
export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/** Returns the common direction of the vectors as a vector of length 1. */
export function computeDirection(vectors: Float32Array[]): Float32Array {
  const sum = new Float32Array(vectors[0]!.length);
  for (const vector of vectors) for (let i = 0; i < sum.length; i++) sum[i]! += vector[i]!;
  const length = Math.sqrt(dot(sum, sum));
  return length === 0 ? sum : sum.map((value) => value / length);
}

const ROUNDS = 12;

/**
 * Groups vectors with spherical k-means and returns the group of each vector. The initial centres are far
 * from each other.
 */
export function clusterVectors(vectors: Float32Array[], groups: number, next: () => number): number[] {
  const centres = [vectors[Math.floor(next() * vectors.length)]!];
  const nearest = vectors.map((vector) => dot(vector, centres[0]!));
  while (centres.length < Math.min(groups, vectors.length)) {
    const furthest = nearest.indexOf(Math.min(...nearest));
    centres.push(vectors[furthest]!);
    for (const [at, vector] of vectors.entries()) {
      nearest[at] = Math.max(nearest[at]!, dot(vector, vectors[furthest]!));
    }
  }
  let groupByVector: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    groupByVector = vectors.map((vector) => findNearest(centres, vector));
    for (const group of centres.keys()) {
      const own = vectors.filter((_, at) => groupByVector[at] === group);
      if (own.length > 0) centres[group] = computeDirection(own);
    }
  }
  return groupByVector;
}

function findNearest(centres: Float32Array[], vector: Float32Array): number {
  let best = 0;
  let highest = Number.NEGATIVE_INFINITY;
  for (const [at, centre] of centres.entries()) {
    const score = dot(centre, vector);
    if (score > highest) [best, highest] = [at, score];
  }
  return best;
}
