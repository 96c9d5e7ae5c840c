import type { StoredChunk } from '#src/ports/index-types.ts';
import { pageMetadata } from '#src/search/pages.ts';
import type { TraceCandidate } from './draft.ts';

/** Chunk with its scores, and the pipeline whose index contains it. */
export interface ScoredChunk {
  chunk: StoredChunk;
  score: number;
  parts?: { dense: number | null; sparse: number | null; rerank: number | null };
  pipelineId: string;
}

const getKey = ({ chunk, pipelineId }: ScoredChunk) => `${pipelineId} ${chunk.id}`;

/**
 * Lists the chunks that a search considered, with their ranks before and after reranking. `before` is undefined if
 * nothing was reranked. Results that were not among the candidates come last.
 */
export function listCandidates(
  before: readonly ScoredChunk[] | undefined,
  after: readonly ScoredChunk[],
): TraceCandidate[] {
  const found = new Map<string, TraceCandidate>();
  for (const [index, each] of (before ?? after).entries()) {
    if (!found.has(getKey(each))) found.set(getKey(each), toCandidate(each, index + 1));
  }
  for (const [index, each] of after.entries()) {
    const key = getKey(each);
    const candidate = found.get(key) ?? toCandidate(each, found.size + 1);
    found.set(key, { ...candidate, rankAfter: index + 1, rerank: each.parts?.rerank ?? null });
  }
  return [...found.values()];
}

const toCandidate = ({ chunk, score, parts, pipelineId }: ScoredChunk, rank: number): TraceCandidate => ({
  chunkId: chunk.id,
  documentId: chunk.documentId,
  pipelineId,
  hash: chunk.hash,
  startChar: chunk.startChar,
  endChar: chunk.endChar,
  metadata: { ...chunk.metadata, ...pageMetadata(chunk) },
  rankBefore: rank,
  rankAfter: null,
  fused: score,
  dense: parts?.dense ?? null,
  sparse: parts?.sparse ?? null,
  rerank: null,
});
