import type { SearchHit } from '#src/ports/index-types.ts';

/**
 * Orders hits everywhere: higher scores first, equal scores by document id and then by position in the document. Chunk
 * ids do not decide before these two: they are hashes that contain the pipeline's id, so pipelines that hold the same
 * documents would order equal scores differently.
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

/** The best of one arm over all shards: what a single shard with all chunks would have answered. */
export function mergeArm(shards: SearchHit[][], k: number): SearchHit[] {
  return shards.flat().sort(compareHits).slice(0, k);
}

export interface FusedHit extends SearchHit {
  /** The scores the hit came with: cosine similarity, BM25. */
  dense?: number;
  sparse?: number;
}

/**
 * One list from the two arms, each in order. `alpha` is the dense arm's weight: 1 keeps it alone with its scores, 0
 * the sparse arm with its. In between a hit's score, 0 to 1, is the weighted sum of its cosine similarity and its
 * BM25 as a share of the best. A hit that the dense arm lacks is no nearer than that arm's last, and is taken to be
 * as near: so the similarities' usual level, which differs from model to model, does not matter.
 * docs/architecture.md has the comparison with rank fusion.
 *
 * `cutoff` bounds what the dense arm contributes: hits less similar than that are not found by it, and their
 * similarity adds nothing. What the sparse arm found stays, by its words alone. The dense arm comes uncut, so that its
 * last still says how near the hits can be that it lacks.
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
