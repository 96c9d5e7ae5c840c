/**
 * Quantized value that represents a vector component of zero. Codes have 7 bits, because only then is the
 * relaxed SIMD dot product exact on every processor.
 */
const ZERO = 64;
const HIGHEST_CODE = 63;
const HIGHEST_QUERY_CODE = 127;

/**
 * Returns the size of one quantized vector in bytes: its dimension rounded up to a multiple of 64, which the
 * kernel reads per round.
 */
export function getCodeStride(dimension: number): number {
  return Math.ceil(dimension / 64) * 64;
}

export function computeNorm(vector: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < vector.length; i++) sum += vector[i]! * vector[i]!;
  return Math.sqrt(sum);
}

function getMaxMagnitude(vector: Float32Array): number {
  let highest = 0;
  for (let i = 0; i < vector.length; i++) highest = Math.max(highest, Math.abs(vector[i]!));
  return highest;
}

/**
 * Writes the 7-bit code of a vector's direction and returns its scale. Component i of the unit vector is
 * about (code[i] - 64) * scale. The scale of a zero vector is 0.
 */
export function encodeVector(vector: Float32Array, code: Uint8Array): number {
  const highest = getMaxMagnitude(vector);
  code.fill(ZERO);
  if (highest === 0) return 0;
  const steps = HIGHEST_CODE / highest;
  for (let i = 0; i < vector.length; i++) code[i] = ZERO + Math.round(vector[i]! * steps);
  return highest / (HIGHEST_CODE * computeNorm(vector));
}

export interface QueryCode {
  code: Int8Array;
  scale: number;
  /**
   * Error of every dot product with this query, because zero is encoded as 64. It is subtracted from the
   * result.
   */
  correction: number;
}

export function encodeQuery(vector: Float32Array): QueryCode {
  const code = new Int8Array(getCodeStride(vector.length));
  const highest = getMaxMagnitude(vector);
  if (highest === 0) return { code, scale: 0, correction: 0 };
  const steps = HIGHEST_QUERY_CODE / highest;
  let sum = 0;
  for (let i = 0; i < vector.length; i++) {
    const value = Math.round(vector[i]! * steps);
    code[i] = value;
    sum += value;
  }
  return { code, scale: highest / (HIGHEST_QUERY_CODE * computeNorm(vector)), correction: sum * ZERO };
}

/** Returns the cosine similarity, or 0 if either vector is zero. */
export function cosine(a: Float32Array, b: Float32Array): number {
  let dot = 0;
  let aa = 0;
  let bb = 0;
  for (let i = 0; i < a.length; i++) {
    const x = a[i]!;
    const y = b[i]!;
    dot += x * y;
    aa += x * x;
    bb += y * y;
  }
  return aa === 0 || bb === 0 ? 0 : dot / Math.sqrt(aa * bb);
}
