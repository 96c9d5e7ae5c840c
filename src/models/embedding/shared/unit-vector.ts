import { Upstream } from '#src/lib/errors.ts';

/** Normalises a provider's vector to unit length. Throws Upstream if the value is no vector. */
export function unitVector(row: unknown): Float32Array {
  if (!Array.isArray(row) && !(row instanceof Float32Array)) {
    throw wrongAnswer('The model gave no vector for a text.');
  }
  let sum = 0;
  for (const value of row) {
    if (typeof value !== 'number') {
      throw wrongAnswer('The model gave a vector with something that is no number.');
    }
    sum += value * value;
  }
  // Non-finite components make the sum non-finite, and a zero vector has no direction to compare.
  if (!Number.isFinite(sum) || sum === 0) throw wrongAnswer('The model gave a vector without a direction.');
  const scale = 1 / Math.sqrt(sum);
  return Float32Array.from(row, (value: number) => value * scale);
}

/** Permanent error: repeating the same request would return the same answer. */
export const wrongAnswer = (message: string) => new Upstream(message, { retryable: false });
