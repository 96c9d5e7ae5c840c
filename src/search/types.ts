/**
 * The words that the index, the sinks and retrieval share. Nothing here knows where it runs.
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
  /** Filterable, and returned with every node of the document. */
  metadata: Metadata;
}

export type FilterOperator =
  | '=='
  | '!='
  | '>'
  | '>='
  | '<'
  | '<='
  | 'in'
  | 'nin'
  | 'any'
  | 'all'
  | 'contains'
  | 'text_match'
  | 'text_match_insensitive'
  | 'is_empty';

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

/** Corpus-wide figures that BM25 needs, summed over the shards of an index. */
export interface TermStatistics {
  documentCount: number;
  totalLength: number;
  /** Term (as the index's analyser writes it) -> number of chunks that contain it. */
  documentFrequency: Record<string, number>;
  /** As in a shard's answer: the documents in several shards whose first one this is. */
  decided?: SplitDocuments;
}

/**
 * Documents whose chunks live in several shards: the version that queries may see, and how many chunks it has in all
 * of them. The first shard of a document decides, the others are told with each query.
 */
export type SplitDocuments = Record<string, { version: number; chunkCount: number }>;

export interface ShardQuery {
  /** Absent: no dense search. */
  vector?: Float32Array;
  /** The raw query text; the shard analyses it. Absent: no sparse search. */
  text?: string;
  denseTopK: number;
  sparseTopK: number;
  filters?: Filters;
  /** Restrict to these documents (already resolved by the caller). */
  documentIds?: string[];
  /** Statistics of the whole index; absent when this shard is the whole index. */
  statistics?: TermStatistics;
  /** What to show of documents that live in several shards; absent: nothing. */
  split?: SplitDocuments;
}

/** A hit as one arm of the search found it. `score`: cosine similarity for dense, BM25 for sparse. */
export interface ShardHit {
  id: string;
  documentId: string;
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
  hash: string;
  /** The language whose rules it was indexed by (ISO 639-1), `und` for those without any; where the sink knows it. */
  language?: string;
  title: string;
  metadata: Metadata;
  previousId?: string;
  nextId?: string;
  vector?: Float32Array;
}

export interface ShardAnswer {
  dense: ShardHit[];
  sparse: ShardHit[];
  /** Every chunk that appears in an arm, once. */
  chunks: StoredChunk[];
  /**
   * `decided`: the documents in several shards whose first one this is. `held`: how many chunks it has of each
   * document that the query named in `split`. Absent when there are none.
   */
  split?: { decided: SplitDocuments; held: Record<string, number> };
  /** Seconds spent in each stage. */
  timings: Record<string, number>;
}

export interface ShardStats {
  documents: number;
  chunks: number;
  /** Staged chunks of versions that are not published (yet). */
  staged: number;
  /** The most chunks the shard takes, staged ones included: fewer when vectors are long. */
  capacity: number;
  bytes: number;
  dimension: number | null;
}

export interface Staged {
  /** False: the shard has no room for these chunks, and nothing was changed. */
  placed: boolean;
  /** The shard has no room to spare for documents that it does not hold yet. */
  full: boolean;
  /** False: the version was overtaken or removed, and its chunks were left out. */
  current: boolean;
}

/** One version of a document as one shard knows it. */
export interface ShardVersion {
  version: number;
  published: boolean;
  /** The chunks that this shard has of it, and those of all shards where it is the first of several. */
  chunks: number;
  whole: number | null;
}

/**
 * What a shard of the managed index can do. Every method may be called twice with the same arguments.
 * A document's new version is staged in as many calls as it takes, then published: the switch from the old
 * version to the new one happens in one step, and a version older than the published one is ignored.
 */
export interface Shard {
  /** With `chunkCount` the version is published in the same step, as `publish` would. */
  stage(document: IndexedDocument, chunks: IndexedChunk[], chunkCount?: number): Promise<Staged>;
  /**
   * `chunkCount` guards against publishing a half-staged version (rejects with Conflict). `whole` says that the
   * document lives in several shards: how many chunks it has in all for the first of them, 0 for the others.
   * Answers whether this version is the published one now.
   */
  publish(documentId: string, version: number, chunkCount: number, whole?: number): Promise<boolean>;
  /** New metadata or title for a published document; chunks and vectors stay. */
  describe(document: Pick<IndexedDocument, 'documentId' | 'title' | 'metadata'>): Promise<void>;
  /**
   * True at once: no query that starts after this returns sees the documents. Leaves a tombstone: stage and
   * publish of these documents with a version up to `version` are ignored from now on.
   */
  remove(documentIds: string[], version: number): Promise<void>;
  statistics(text: string, split?: SplitDocuments): Promise<TermStatistics>;
  query(query: ShardQuery): Promise<ShardAnswer>;
  /** The chunks of a document in order, paged by position: of the published version, or of the one given. */
  chunksOf(
    documentId: string,
    page?: { from: number; limit: number },
    version?: number,
  ): Promise<StoredChunk[]>;
  /** Every version of a document that was not replaced yet. */
  versionsOf(documentId: string): Promise<ShardVersion[]>;
  stats(): Promise<ShardStats>;
  /** Everything in the shard, gone. */
  drop(): Promise<void>;
}
