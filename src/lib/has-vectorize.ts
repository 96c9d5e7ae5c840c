const VECTORIZE = /^VECTORIZE_\d+$/;

/** Returns whether a binding is a Vectorize index. */
export const isVectorizeBinding = (name: string, value: unknown): boolean =>
  VECTORIZE.test(name) && typeof value === 'object' && value !== null;

/** Returns whether a Vectorize index of any dimension is bound. */
export function hasVectorize(env: object): boolean {
  return Object.entries(env).some(([name, value]) => isVectorizeBinding(name, value));
}
