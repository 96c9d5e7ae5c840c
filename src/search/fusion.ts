import type { SearchHit } from '#src/ports/index-types.ts';

/**
 * Compares two hits: higher scores come first, equal scores are ordered by document id and then by position.
 * Chunk ids are compared last because they are hashes that contain the pipeline's id. Otherwise pipelines
 * with the same documents would order equal scores differently.
 */
export function compareHits(a: SearchHit, b: SearchHit): number {
  return (
    b.score - a.score ||
    compareTexts(a.documentId, b.documentId) ||
    a.position - b.position ||
    compareTexts(a.id, b.id)
  );
}

function compareTexts(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Merges the hits of one arm (dense or sparse) of all shards and returns the k best. */
export function mergeArm(shards: SearchHit[][], k: number): SearchHit[] {
  return shards.flat().sort(compareHits).slice(0, k);
}

export interface FusedHit extends SearchHit {
  /** Original scores of the hit: cosine similarity (`dense`) and BM25 score (`sparse`). */
  dense?: number;
  sparse?: number;
}

/**
 * Merges the sorted hits of the dense and the sparse arm into one list. `alpha` is the weight of the dense
 * arm. With 1, only dense hits are returned, with their own scores. With 0, only sparse hits are returned,
 * with their own scores. In between, the score (0 to 1) is a weighted sum of the cosine similarity and the
 * BM25 score divided by the best BM25 score. A sparse hit that the dense arm did not return gets the
 * similarity of the last dense hit, which is an upper bound. Typical similarities differ between models, and
 * the upper bound keeps that from mattering. docs/explanation/how-retrieval-works.md compares this method with rank fusion.
 *
 * `cutoff` is the minimum similarity of dense hits. Less similar hits are not returned as dense hits and
 * contribute no similarity. Sparse hits are always returned. Pass the dense list without applying the cutoff,
 * because its last hit provides the upper bound.
 */
export function fuse(dense: SearchHit[], sparse: SearchHit[], alpha: number, cutoff = 0): FusedHit[] {
  if (alpha <= 0) return sparse.map((hit) => ({ ...hit, sparse: hit.score }));
  const furthest = dense.at(-1)?.score;
  const fused = new Map<string, FusedHit>();
  for (const hit of dense) {
    if (hit.score >= cutoff) fused.set(hit.id, { ...hit, dense: hit.score });
  }
  if (alpha >= 1) return [...fused.values()];
  const similarities = new Map(dense.map(({ id, score }) => [id, score]));
  for (const hit of sparse) {
    const similarity = similarities.get(hit.id);
    const known = similarity === undefined ? {} : { dense: similarity };
    fused.set(hit.id, { ...hit, score: 0, ...known, sparse: hit.score });
  }
  const best = sparse[0]?.score ?? 1;
  for (const hit of fused.values()) {
    const similarity = hit.dense ?? furthest ?? 0;
    const near = similarity >= cutoff ? Math.max(0, similarity) : 0;
    hit.score = alpha * near + ((1 - alpha) * (hit.sparse ?? 0)) / best;
  }
  return [...fused.values()].sort(compareHits);
}
