export interface RerankCandidate {
  id: string;
  text: string;
  /** Headings above the chunk, outermost first. */
  headings: string[];
  title: string;
  /** Score of the search. Only the order among the candidates matters. */
  score: number;
  language?: string;
}

export interface RerankOptions {
  topN?: number;
  signal?: AbortSignal;
}

export interface RerankResult {
  id: string;
  /** Score from 0 to 1. Scores are comparable only among results of one query. */
  score: number;
}

/** Orders candidates by comparing the query with their whole text. */
export interface Reranker {
  readonly modelId: string;
  /**
   * Returns at most `topN` candidates, best first and each at most once. Equal candidates keep their order.
   * Rejects with a DomainError if the model fails, times out or leaves candidates out, or with the reason of
   * the aborted signal.
   */
  rerank(query: string, candidates: RerankCandidate[], options?: RerankOptions): Promise<RerankResult[]>;
}
