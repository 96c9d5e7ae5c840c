import type { Document } from 'mongodb';
import { VECTOR } from './index-layout.ts';

/**
 * Number of candidates that a vector search considers. MongoDB recommends twenty times the number of results,
 * and allows at most 10,000.
 */
const CANDIDATES = { factor: 20, least: 200, most: 10_000 };

/** Builds the stage of a pipeline that searches by a vector. */
export async function buildVectorStage(search: {
  index: string;
  vector: Float32Array;
  topK: number;
  filter: Document;
}): Promise<{ $vectorSearch: Document & { limit: number } }> {
  const { Binary } = await import('mongodb');
  return {
    $vectorSearch: {
      index: search.index,
      path: VECTOR,
      queryVector: Binary.fromFloat32Array(search.vector),
      numCandidates: Math.min(CANDIDATES.most, Math.max(CANDIDATES.least, search.topK * CANDIDATES.factor)),
      limit: Math.min(CANDIDATES.most, search.topK),
      filter: search.filter,
    },
  };
}
