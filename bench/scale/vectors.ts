/** What is measured here has vectors of length 1, or means of such. */
export function dot(a: Float32Array, b: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i]! * b[i]!;
  return sum;
}

/** The direction in which these vectors point together. */
export function directionOf(vectors: Float32Array[]): Float32Array {
  const sum = new Float32Array(vectors[0]!.length);
  for (const vector of vectors) for (let i = 0; i < sum.length; i++) sum[i]! += vector[i]!;
  const length = Math.sqrt(dot(sum, sum));
  return length === 0 ? sum : sum.map((value) => value / length);
}

const ROUNDS = 12;

/** Spherical k-means: the group of each vector. Starts from vectors that are far from each other. */
export function clustered(vectors: Float32Array[], groups: number, next: () => number): number[] {
  const centres = [vectors[Math.floor(next() * vectors.length)]!];
  const nearest = vectors.map((vector) => dot(vector, centres[0]!));
  while (centres.length < Math.min(groups, vectors.length)) {
    const furthest = nearest.indexOf(Math.min(...nearest));
    centres.push(vectors[furthest]!);
    for (const [at, vector] of vectors.entries()) {
      nearest[at] = Math.max(nearest[at]!, dot(vector, vectors[furthest]!));
    }
  }
  let groupOf: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    groupOf = vectors.map((vector) => bestOf(centres, vector));
    for (const group of centres.keys()) {
      const own = vectors.filter((_, at) => groupOf[at] === group);
      if (own.length > 0) centres[group] = directionOf(own);
    }
  }
  return groupOf;
}

function bestOf(centres: Float32Array[], vector: Float32Array): number {
  let best = 0;
  let highest = Number.NEGATIVE_INFINITY;
  for (const [at, centre] of centres.entries()) {
    const score = dot(centre, vector);
    if (score > highest) [best, highest] = [at, score];
  }
  return best;
}
