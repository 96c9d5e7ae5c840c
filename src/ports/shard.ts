import type {
  Filters,
  IndexedChunk,
  IndexedDocument,
  SinkAnswer,
  SinkQuery,
  StoredChunk,
} from './index-types.ts';

/** Requests and answers of the managed index's shards, in addition to `SinkQuery`. */

/** Corpus-wide statistics for BM25, summed over the shards of an index. */
export interface TermStatistics {
  documentCount: number;
  totalLength: number;
  /** Number of chunks that contain a term, keyed by the term as the index's analyser writes it. */
  documentFrequency: Record<string, number>;
  /** Split documents whose first shard is the answering one. */
  decided?: SplitDocuments;
}

/**
 * Documents whose chunks live in several shards: the version that queries may see, and its number of chunks
 * in all shards together. The first shard of a document decides the version, and every query passes the
 * decision to the others.
 */
export type SplitDocuments = Record<string, { version: number; chunkCount: number }>;

/** A chunk that another store found by its vector. */
export interface Candidate {
  documentId: string;
  version: number;
  position: number;
  score: number;
}

/** Versions of a document that a store must delete: the given version and all older ones. */
export interface Removal {
  documentId: string;
  version: number;
}

/** Query of one shard, with the information that the shard cannot have about the other shards. */
export interface ShardQuery extends SinkQuery {
  /**
   * Results of another store that holds the vectors; they replace `vector`. Dense search returns those of
   * them that are visible and pass the filters.
   */
  candidates?: Candidate[];
  /** Statistics of the whole index. Absent if this shard is the whole index. */
  statistics?: TermStatistics;
  /** Visible versions of documents that live in several shards. Documents without an entry are not shown. */
  split?: SplitDocuments;
}

export interface ShardAnswer extends SinkAnswer {
  /**
   * `decided` lists the split documents whose first shard is this one. `held` counts the chunks that this
   * shard has of each document in the query's `split`. Absent if both are empty.
   */
  split?: { decided: SplitDocuments; held: Record<string, number> };
  /** Documents with candidates of an outdated version, and the version that is published now. */
  overtaken?: { documentId: string; version: number }[];
}

export interface ShardStats {
  documents: number;
  chunks: number;
  /** Number of staged chunks whose version is not published yet. */
  staged: number;
  /** Maximum number of chunks in the shard, including staged ones. Longer vectors reduce it. */
  capacity: number;
  bytes: number;
  dimension: number | null;
}

/**
 * Chunks of one document for one shard. If `chunkCount` is given, the version is published once it has that
 * many chunks.
 */
export interface StagedPart {
  document: IndexedDocument;
  chunks: IndexedChunk[];
  chunkCount?: number | undefined;
}

export interface Staged {
  /** False if the shard has no room for these chunks. Nothing was changed then. */
  placed: boolean;
  /** Whether the shard has no room for further documents. */
  full: boolean;
  /** False if the version is outdated or removed. Its chunks were ignored then. */
  current: boolean;
}

export interface ChunkPlace {
  documentId: string;
  position: number;
}

/** A chunk of a published version. */
export interface PointPlace {
  documentId: string;
  version: number;
  position: number;
}

/** One version of a document as one shard knows it. */
export interface ShardVersion {
  version: number;
  published: boolean;
  /** Number of chunks in this shard, and in all shards if this shard is the first of several. */
  chunks: number;
  whole: number | null;
}

/**
 * Operations of one shard of the managed index. Every method may be called twice with the same arguments. A
 * new version of a document is staged in any number of calls and then published in one step. A version older
 * than the published one is ignored.
 */
export interface Shard {
  /**
   * Stages chunks. With `chunkCount` it also publishes the version in the same step. Empty vectors mean that
   * another store holds the vectors; an index has either only empty vectors or none.
   */
  stage(document: IndexedDocument, chunks: IndexedChunk[], chunkCount?: number): Promise<Staged>;
  /**
   * Calls `stage` for each part, in order. Rejects with the first refusal; the parts before it are stored.
   */
  stageMany(parts: StagedPart[]): Promise<Staged[]>;
  /**
   * Publishes a version and returns whether it is the published one now. Rejects with Conflict if fewer than
   * `chunkCount` chunks are staged. `whole` marks a document that lives in several shards: its total number
   * of chunks for the first shard, and 0 for the others.
   */
  publish(documentId: string, version: number, chunkCount: number, whole?: number): Promise<boolean>;
  /** Sets the metadata and title of a published document. Its chunks and vectors stay. */
  describe(document: Pick<IndexedDocument, 'documentId' | 'title' | 'metadata'>): Promise<void>;
  /**
   * Removes documents. No query that starts after the returned promise resolves sees them. A tombstone
   * remains, so that `stage` and `publish` ignore versions up to `version` from then on.
   */
  remove(documentIds: string[], version: number): Promise<void>;
  statistics(text: string, split?: SplitDocuments): Promise<TermStatistics>;
  query(query: ShardQuery): Promise<ShardAnswer>;
  /**
   * Returns the documents with at least one chunk that passes the filters, staged chunks included. Returns
   * null if there are more than `limit`.
   */
  documentsMatching(filters: Filters, limit: number): Promise<string[] | null>;
  /** Records versions that another store must still delete. The highest version of a document counts. */
  owe(removals: Removal[]): Promise<void>;
  owed(limit: number): Promise<Removal[]>;
  /** Marks deletions as done. A later version that was recorded in the meantime stays. */
  settle(removals: Removal[]): Promise<void>;
  /** Returns the chunks of the published version, or of the given version, in pages ordered by position. */
  chunksOf(
    documentId: string,
    page?: { from: number; limit: number },
    version?: number,
  ): Promise<StoredChunk[]>;
  /** Returns the document and position of a chunk, or null if the shard does not have it. */
  placeOf(chunkId: string): Promise<ChunkPlace | null>;
  /** Returns every version of a document that has not been replaced yet. */
  versionsOf(documentId: string): Promise<ShardVersion[]>;
  /**
   * Returns published chunks: all of them if there are at most `limit`, otherwise the newest and a random
   * sample. `writtenBy` leaves out versions that are newer than this time in milliseconds.
   */
  samplePoints(limit: number, writtenBy?: number): Promise<PointPlace[]>;
  /** Returns the published chunks of these documents that this shard holds. */
  publishedPoints(documentIds: string[]): Promise<PointPlace[]>;
  /** Checks that the copy of the vectors in Vectorize exists, and creates it again if it does not. */
  checkCopy(): Promise<void>;
  stats(): Promise<ShardStats>;
  /** Deletes everything in the shard. */
  drop(): Promise<void>;
}
