export const isBuiltin = (embedderId: string) => embedderId.startsWith('builtin/');

/**
 * The dense arm's weight when nobody gives one. The built-in embedder knows words, as BM25 does, and adds only their
 * forms: measured on public sets (docs/architecture.md), a small share of it helps and a large one harms.
 */
export function defaultAlpha(embedderId: string): number {
  return isBuiltin(embedderId) ? 0.08 : 0.5;
}
