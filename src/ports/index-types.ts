/** Types that sinks and retrieval share. Every vector store can represent them. */

/**
 * Values that a filter can compare. Metadata is flat: one level of keys, with scalars or arrays of scalars as
 * values.
 */
export type MetadataValue = string | number | boolean | null | (string | number)[];
export type Metadata = Record<string, MetadataValue>;

/**
 * Chunk as the index stores it. Its id is derived from the position in the content, so writing the same chunk
 * twice changes nothing.
 */
export interface IndexedChunk {
  /** Node id, unique in the index. */
  id: string;
  /** Position of the chunk within its document. The first chunk has position 0. */
  position: number;
  text: string;
  /** Headings above the chunk. They are searched besides the text, with a higher weight. */
  headings?: string[];
  /** ISO 639-1 code of the text's language. It selects the stemmer and the stop words. */
  language?: string;
  startChar: number;
  endChar: number;
  /**
   * First and last page of the chunk, both inclusive. The first page is 0. Absent for documents without
   * pages.
   */
  startPage?: number;
  endPage?: number;
  /** Path of the archive member or attachment that contains the chunk. Absent for the document's own text. */
  member?: string;
  /** Hash of the text. Clients compare it to detect a changed node. */
  hash: string;
  /**
   * Ids of the neighbouring chunks. Set only if the neighbours may be in another shard. Otherwise the index
   * finds them by position.
   */
  previousId?: string;
  nextId?: string;
  /** Embedding of the text. Its length is the dimension of the index. */
  vector: Float32Array;
}

/** Data that all chunks of one document share. Changing it rewrites no chunk and no vector. */
export interface IndexedDocument {
  /** Id of a file or of a directly inserted document. A document is replaced and removed as a whole. */
  documentId: string;
  /** Version of the document, which grows with every rewrite. Queries see only the published version. */
  version: number;
  /** File name or document title. It is searched in addition to the text, with a higher weight. */
  title: string;
  /**
   * Metadata values that are searched in addition to the text. They belong to the version, like its chunks.
   */
  keywords?: string;
  /** Metadata that filters can use and that every node of the document carries. */
  metadata: Metadata;
}

/** Filter operators. `filters.ts` defines what each of them means. */
export const FILTER_OPERATORS = [
  '==',
  '!=',
  '>',
  '>=',
  '<',
  '<=',
  'in',
  'nin',
  'any',
  'all',
  'contains',
  'text_match',
  'text_match_insensitive',
  'is_empty',
] as const;
export type FilterOperator = (typeof FILTER_OPERATORS)[number];

export interface Filter {
  key: string;
  operator: FilterOperator;
  value: string | number | (string | number)[] | null;
}

/** Group of filters. The condition `not` negates the conjunction of its filters. */
export interface Filters {
  condition: 'and' | 'or' | 'not';
  filters: (Filter | Filters)[];
}

export interface SinkQuery {
  /** Vector of the query. Without it there is no dense search. */
  vector?: Float32Array;
  /** Raw text of the query, which the store analyses. Without it there is no sparse search. */
  text?: string;
  denseTopK: number;
  sparseTopK: number;
  filters?: Filters;
}

/**
 * Result of dense or sparse search. `score` is the cosine similarity for dense search and the BM25 score for
 * sparse search.
 */
export interface SearchHit {
  id: string;
  documentId: string;
  /** Position of the chunk within its document. The first chunk has position 0. */
  position: number;
  score: number;
}

export interface StoredChunk {
  id: string;
  documentId: string;
  position: number;
  text: string;
  headings: string[];
  startChar: number;
  endChar: number;
  startPage?: number;
  endPage?: number;
  member?: string;
  hash: string;
  /**
   * ISO 639-1 code of the language by whose rules the chunk was indexed, or `und` if it has none. Absent if
   * the sink does not know it.
   */
  language?: string;
  title: string;
  metadata: Metadata;
  previousId?: string;
  nextId?: string;
  vector?: Float32Array;
}

export interface SinkAnswer {
  /**
   * Hits of dense and sparse search, from highest to lowest score. Equal scores are ordered by document id,
   * then by position.
   */
  dense: SearchHit[];
  sparse: SearchHit[];
  /** All chunks of the hits. A chunk that both searches found is included once. */
  chunks: StoredChunk[];
  /** Duration of each stage, in seconds. */
  timings: Record<string, number>;
  /** Reason why `dense` is empty although the query has a vector, such as a store that did not answer. */
  warning?: string;
}
