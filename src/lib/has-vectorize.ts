const VECTORIZE = /^VECTORIZE_\d+$/;

/** Whether a Vectorize index is bound at all, whatever its dimension. */
export function hasVectorize(env: object): boolean {
  return Object.entries(env).some(
    ([name, value]) => VECTORIZE.test(name) && typeof value === 'object' && value !== null,
  );
}
