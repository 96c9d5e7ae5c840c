const VECTORIZE = /^VECTORIZE_\d+$/;

/** Returns whether a Vectorize index of any dimension is bound. */
export function hasVectorize(env: object): boolean {
  return Object.entries(env).some(
    ([name, value]) => VECTORIZE.test(name) && typeof value === 'object' && value !== null,
  );
}
