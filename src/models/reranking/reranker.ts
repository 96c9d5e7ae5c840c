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
}

export interface RerankResult {
  id: string;
  /** 0..1, comparable among the results of one query only. */
  score: number;
}

/** Orders candidates again by a closer look at query and text; best first. */
export interface Reranker {
  readonly modelId: string;
  rerank(query: string, candidates: RerankCandidate[], options?: RerankOptions): Promise<RerankResult[]>;
}
