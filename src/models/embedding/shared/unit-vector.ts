import { Upstream } from '#src/lib/errors.ts';

/** Normalizes a vector of a provider to the length 1. Throws `Upstream` if the value is not a vector. */
export function toUnitVector(row: unknown): Float32Array {
  if (!Array.isArray(row) && !(row instanceof Float32Array)) {
    throw createAnswerError('The model returned no vector for a text.');
  }
  let sum = 0;
  for (const value of row) {
    if (typeof value !== 'number') {
      throw createAnswerError('The model returned a vector with a value that is not a number.');
    }
    sum += value * value;
  }
  // A component that is not finite makes the sum not finite. A vector of zeros has no direction, so it cannot
  // be compared.
  if (!Number.isFinite(sum) || sum === 0)
    throw createAnswerError('The model returned a zero vector or a vector with infinite values.');
  const scale = 1 / Math.sqrt(sum);
  return Float32Array.from(row, (value: number) => value * scale);
}

/**
 * Creates the error for an invalid answer of an embedding model. The error is permanent, because the same
 * request would get the same answer.
 */
export const createAnswerError = (message: string) => new Upstream(message, { retryable: false });
