/** Returns whether a vector has a direction. The length of a vector with tiny components may round to zero. */
export const hasDirection = (vector: Float32Array): boolean =>
  Math.fround(vector.reduce((sum, x) => sum + x * x, 0)) > 0;

/** Converts the score (1 + cosine) / 2, which several stores return. */
export const toCosine = (score: number): number => 2 * score - 1;
