export interface RerankCandidate {
  id: string;
  text: string;
  /** Headings above the chunk, from the outermost to the innermost. */
  headings: string[];
  title: string;
  /** Score from the search that found the chunk. Rerankers only use the order of these scores. */
  score: number;
  language?: string;
}

export interface RerankOptions {
  topN?: number;
  signal?: AbortSignal;
}

export interface RerankResult {
  id: string;
  /** Relevance from 0 to 1. Only scores of the same query are comparable. */
  score: number;
}

/** Reranker that orders search results by comparing the query with their whole text. */
export interface Reranker {
  readonly modelId: string;
  /**
   * Returns at most `topN` candidates without duplicates, best first. Equally good candidates keep their
   * order. Rejects with a DomainError if the model fails, times out or omits candidates. Rejects with the
   * signal's reason if the call is aborted.
   */
  rerank(query: string, candidates: RerankCandidate[], options?: RerankOptions): Promise<RerankResult[]>;
}
