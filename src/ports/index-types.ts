/**
 * The words that the sinks and retrieval share: what any vector store understands. Nothing here knows where it runs.
 */

/** Values a filter can compare. Metadata is flat: one level of keys, arrays of scalars allowed. */
export type MetadataValue = string | number | boolean | null | (string | number)[];
export type Metadata = Record<string, MetadataValue>;

/** One chunk as the index stores it. Ids are derived, so writing the same chunk twice changes nothing. */
export interface IndexedChunk {
  /** The node id, unique in the index. */
  id: string;
  /** Position within its document, 0-based. */
  position: number;
  text: string;
  /** Searched besides the text and weighted higher: the headings above the chunk. */
  headings?: string[];
  /** ISO 639-1 of the chunk's text; selects stemming and stop words. */
  language?: string;
  startChar: number;
  endChar: number;
  /** 0-based pages the chunk touches, inclusive; absent for documents without pages. */
  startPage?: number;
  endPage?: number;
  /** The path of the file inside the document that the chunk is of; absent of what is the document's own. */
  member?: string;
  /** Hash of the text, so that a client can see whether a node changed. */
  hash: string;
  /** The chunks beside it, where they may live in another shard; else the index finds them by position. */
  previousId?: string;
  nextId?: string;
  /** Embedding of the text; length = the index's dimension. */
  vector: Float32Array;
}

/** What all chunks of one document share; changing it rewrites no chunk and no vector. */
export interface IndexedDocument {
  /** The unit that is replaced and removed as a whole: a file's or a direct document's id. */
  documentId: string;
  /** Grows with every rewrite of the document; the published version is the only one a query sees. */
  version: number;
  /** Searched besides the text and weighted higher: the file's name or the document's title. */
  title: string;
  /** Searched besides the text: the values of what its client says of it. Belongs to the version, as its chunks do. */
  keywords?: string;
  /** Filterable, and returned with every node of the document. */
  metadata: Metadata;
}

/** What each one means is said in filters.ts. */
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

/** `not` negates the conjunction of its filters. */
export interface Filters {
  condition: 'and' | 'or' | 'not';
  filters: (Filter | Filters)[];
}

/** A query of one index, whatever store it is in. */
export interface SinkQuery {
  /** Absent: no dense search. */
  vector?: Float32Array;
  /** The raw query text; the store analyses it. Absent: no sparse search. */
  text?: string;
  denseTopK: number;
  sparseTopK: number;
  filters?: Filters;
}

/** A hit as one arm of the search found it. `score`: cosine similarity for dense, BM25 for sparse. */
export interface SearchHit {
  id: string;
  documentId: string;
  /** Position of the chunk within its document, 0-based. */
  position: number;
  score: number;
}

/** A chunk as it comes back from the index. */
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
  /** The language whose rules it was indexed by (ISO 639-1), `und` for those without any; where the sink knows it. */
  language?: string;
  title: string;
  metadata: Metadata;
  previousId?: string;
  nextId?: string;
  vector?: Float32Array;
}

export interface SinkAnswer {
  /** Best first; equal scores by document id, then by position. */
  dense: SearchHit[];
  sparse: SearchHit[];
  /** Every chunk that appears in an arm, once. */
  chunks: StoredChunk[];
  /** Seconds spent in each stage. */
  timings: Record<string, number>;
  /** Why the dense arm is empty although vectors were searched: the store did not answer. */
  warning?: string;
}
