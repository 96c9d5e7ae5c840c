export interface RerankCandidate {
  id: string;
  text: string;
  /** The headings above the chunk, outermost first. */
  headings: string[];
  /** The file's name or the document's title. */
  title: string;
  /** What the search gave it; only the order among the candidates matters. */
  score: number;
  /** ISO 639-1. */
  language?: string;
}

export interface RerankOptions {
  /** Return only the best so many; all when absent. */
  topN?: number;
  signal?: AbortSignal;
}

export interface RerankResult {
  id: string;
  /** 0..1, comparable among the results of one query only. */
  score: number;
}

/** Orders candidates again by a closer look at query and text. */
export interface Reranker {
  readonly modelId: string;
  /**
   * Best first, each candidate at most once, as many as were asked for; of equals the one that came first. Rejects
   * with a DomainError when the model fails, hangs or leaves candidates out, or with the signal's reason.
   */
  rerank(query: string, candidates: RerankCandidate[], options?: RerankOptions): Promise<RerankResult[]>;
}
