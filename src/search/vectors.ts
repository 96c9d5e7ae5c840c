/** Codes are 7 bits so that the relaxed SIMD dot product is exact on every processor; 64 stands for zero. */
const ZERO = 64;
const HIGHEST_CODE = 63;
const HIGHEST_QUERY_CODE = 127;

/** Bytes of one code: the dimension, padded to what the scan reads in one round. */
export function strideOf(dimension: number): number {
  return Math.ceil(dimension / 64) * 64;
}

export function normOf(vector: Float32Array): number {
  let sum = 0;
  for (let i = 0; i < vector.length; i++) sum += vector[i]! * vector[i]!;
  return Math.sqrt(sum);
}

function highestOf(vector: Float32Array): number {
  let highest = 0;
  for (let i = 0; i < vector.length; i++) highest = Math.max(highest, Math.abs(vector[i]!));
  return highest;
}

/**
 * Writes the code of a vector's direction and answers what one step of it is worth: component i of the unit
 * vector is about (code[i] - 64) * scale. A vector of zeros has scale 0.
 */
export function encodeVector(vector: Float32Array, code: Uint8Array): number {
  const highest = highestOf(vector);
  code.fill(ZERO);
  if (highest === 0) return 0;
  const steps = HIGHEST_CODE / highest;
  for (let i = 0; i < vector.length; i++) code[i] = ZERO + Math.round(vector[i]! * steps);
  return highest / (HIGHEST_CODE * normOf(vector));
}

export interface QueryCode {
  code: Int8Array;
  scale: number;
  /** What the codes' 64 for zero adds to every dot product with this query. */
  correction: number;
}

export function encodeQuery(vector: Float32Array): QueryCode {
  const code = new Int8Array(strideOf(vector.length));
  const highest = highestOf(vector);
  if (highest === 0) return { code, scale: 0, correction: 0 };
  const steps = HIGHEST_QUERY_CODE / highest;
  let sum = 0;
  for (let i = 0; i < vector.length; i++) {
    const value = Math.round(vector[i]! * steps);
    code[i] = value;
    sum += value;
  }
  return { code, scale: highest / (HIGHEST_QUERY_CODE * normOf(vector)), correction: sum * ZERO };
}

/** Cosine similarity; 0 when either has no direction. */
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
