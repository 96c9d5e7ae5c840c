import { Upstream } from '#src/lib/errors.ts';

/** Whatever a provider gave as the vector of a text, at unit length. Throws Upstream when it is none. */
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
  // NaN and infinite coordinates show in the sum; a vector of zeros has no direction to compare.
  if (!Number.isFinite(sum) || sum === 0) throw wrongAnswer('The model gave a vector without a direction.');
  const scale = 1 / Math.sqrt(sum);
  return Float32Array.from(row, (value: number) => value * scale);
}

/** The same question would be answered the same way. */
export const wrongAnswer = (message: string) => new Upstream(message, { retryable: false });
