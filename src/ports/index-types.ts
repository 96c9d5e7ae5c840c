/** Types that vector stores and retrieval share. Every supported vector store can represent them. */

/**
 * Metadata value that a filter can compare. Metadata has one level of keys, and its values are scalars or
 * arrays of scalars.
 */
export type MetadataValue = string | number | boolean | null | (string | number)[];
export type Metadata = Record<string, MetadataValue>;

/**
 * Weights that a learned sparse model gives to the terms of its vocabulary for one text. All other terms have the
 * weight 0.
 */
export interface SparseVector {
  /** Numbers of the terms in the vocabulary, each at most once. */
  indexes: Uint32Array;
  /** Weight of each term in `indexes`. All weights are positive. */
  values: Float32Array;
}

/**
 * A chunk as it is stored in the index. Its id is derived from its position in the content, so writing the
 * same chunk twice changes nothing.
 */
export interface IndexedChunk {
  /** Node id, unique in the index. */
  id: string;
  /** Position of the chunk within its document. The first chunk has position 0. */
  position: number;
  text: string;
  /**
   * Headings above the chunk. Sparse search also searches the headings and gives them a higher weight than
   * the text.
   */
  headings?: string[];
  /** ISO 639-1 code of the text's language, which selects the stemmer and the stop words. */
  language?: string;
  startChar: number;
  endChar: number;
  /**
   * Index of the first page that the chunk covers. `endPage` is the last page, inclusive. The first page of a
   * document is 0. Both are absent for documents without pages.
   */
  startPage?: number;
  endPage?: number;
  /**
   * Path of the archive file or attachment that contains the chunk. Absent if the chunk belongs to the
   * document itself.
   */
  member?: string;
  /** Hash of the text. API clients compare hashes to detect changed nodes. */
  hash: string;
  /**
   * Ids of the previous and the next chunk. They are set only if these chunks may be in another shard.
   * Otherwise the index finds them by position.
   */
  previousId?: string;
  nextId?: string;
  /** Embedding of the text. The number of components is the dimension of the index. */
  vector: Float32Array;
  /**
   * Weights of a learned sparse model, which sparse search uses instead of the words. In one index, either all chunks
   * have weights or none have.
   */
  weights?: SparseVector;
}

/** Data that all chunks of one document share. Changing these data does not rewrite chunks or vectors. */
export interface IndexedDocument {
  /** Id of a file or text document. A document is always replaced or removed as a whole. */
  documentId: string;
  /**
   * Version number of the document, which increases with every rewrite. Queries see only the published
   * version.
   */
  version: number;
  /**
   * File name or document title. Sparse search also searches the title and gives it a higher weight than the
   * text.
   */
  title: string;
  /**
   * Metadata values that sparse search also searches. They belong to one version of the document, as its
   * chunks do.
   */
  keywords?: string;
  /** Metadata that filters can use. Every node of the document that a search returns carries the metadata. */
  metadata: Metadata;
  /**
   * True if the chunks have weights of a learned sparse model. Title and keywords are then not searched by words,
   * because the model has read them with the text.
   */
  hasWeights?: boolean;
}

/** Data of a document that can change without rewriting its chunks. */
export type DocumentDescription = Pick<IndexedDocument, 'documentId' | 'title' | 'metadata' | 'hasWeights'>;

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

/** Group of filters that are combined by `condition`. `not` matches if not all filters of the group match. */
export interface Filters {
  condition: 'and' | 'or' | 'not';
  filters: (Filter | Filters)[];
}

export interface SinkQuery {
  /** Embedding of the query. If it is absent, there is no dense search. */
  vector?: Float32Array;
  /**
   * Text of the query, unchanged. The store divides it into words. If it is absent, there is no sparse
   * search.
   */
  text?: string;
  /**
   * Weights of the query's terms from a learned sparse model. They replace `text` in an index whose chunks have
   * weights. The score of a chunk is the dot product of both weights.
   */
  weights?: SparseVector;
  denseTopK: number;
  sparseTopK: number;
  filters?: Filters;
  /** Chunks that the search must not find, although they are stored. */
  disabled?: DisabledChunks[];
  /**
   * Metadata that was set for single chunks. Filters use it in place of the document's metadata under the same keys.
   * Only keys that occur in the filters are needed.
   */
  chunkMetadata?: ChunkMetadata[];
}

/** Disabled chunks of one document, by the hash of their text. */
export interface DisabledChunks {
  documentId: string;
  hashes: string[];
}

/** Metadata that was set for single chunks of one document, by the hash of their text. */
export interface ChunkMetadata {
  documentId: string;
  chunks: Record<string, Metadata>;
}

/**
 * A chunk that a search found. `score` is the cosine similarity for dense search. For sparse search it is the
 * BM25 score, or the dot product of the weights of a learned sparse model.
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
   * ISO 639-1 code of the language in which the chunk was indexed, or `und` if its language is unknown.
   * Absent if the store does not record languages.
   */
  language?: string;
  title: string;
  metadata: Metadata;
  previousId?: string;
  nextId?: string;
  vector?: Float32Array;
}

/** How many chunks of an index contain the words of a query. */
export interface WordCounts {
  chunks: number;
  /** Number of chunks that contain each word of the query. A word without an entry was not counted. */
  containing: Record<string, number>;
}

export interface SinkAnswer {
  /**
   * Chunks that dense and sparse search found, from highest to lowest score. Equal scores are ordered by
   * document id, then by position.
   */
  dense: SearchHit[];
  sparse: SearchHit[];
  /** All found chunks. A chunk that both searches found is included once. */
  chunks: StoredChunk[];
  timings: Record<string, number>;
  /** Absent if the store does not count words, or if the query has no text. */
  wordCounts?: WordCounts;
  /**
   * Reason why dense search returned nothing although the query has a vector. For example, the vector store
   * did not answer.
   */
  warning?: string;
}
