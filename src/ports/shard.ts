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
  /** Split documents whose first shard is the shard that answers. */
  decided?: SplitDocuments;
}

/**
 * Versions of documents whose chunks are in several shards: the version that queries may see, and its number
 * of chunks in all shards together. The first shard of a document decides the version, and every query passes
 * the decision to the other shards.
 */
export type SplitDocuments = Record<string, { version: number; chunkCount: number }>;

export interface Candidate {
  documentId: string;
  version: number;
  position: number;
  score: number;
}

/** Versions of a document that a store must delete. They are the given version and all older ones. */
export interface Removal {
  documentId: string;
  version: number;
}

/** Query of one shard, with the information about other shards that the shard itself cannot have. */
export interface ShardQuery extends SinkQuery {
  /**
   * Results of an external store that holds the vectors. They replace `vector`. Dense search returns the
   * visible results that pass the filters.
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
  /** Documents whose candidates have an outdated version, and the version that is published now. */
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
  /** False if the shard does not have enough space for these chunks. In that case nothing was changed. */
  placed: boolean;
  /** True if the shard does not have space for further documents. */
  full: boolean;
  /** False if the version is outdated or removed. In that case its chunks were ignored. */
  current: boolean;
}

export interface ChunkPlace {
  documentId: string;
  position: number;
}

export interface PointPlace {
  documentId: string;
  version: number;
  position: number;
}

/** Version of a document, as one shard knows it. */
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
   * Stages chunks. With `chunkCount`, also publishes the version in the same step. Empty vectors mean that
   * another store holds the vectors. An index has either only empty vectors or none.
   */
  stage(document: IndexedDocument, chunks: IndexedChunk[], chunkCount?: number): Promise<Staged>;
  /**
   * Calls `stage` for each part, in order. Rejects with the first refusal. The parts before the refused one
   * are stored.
   */
  stageMany(parts: StagedPart[]): Promise<Staged[]>;
  /**
   * Publishes a version and returns whether it is the published one now. Rejects with Conflict if fewer than
   * `chunkCount` chunks are staged. `whole` marks a document that is in several shards: for the first shard
   * it is the total number of chunks, and for the others it is 0.
   */
  publish(documentId: string, version: number, chunkCount: number, whole?: number): Promise<boolean>;
  /** Sets the metadata and title of a published document. Its chunks and vectors stay. */
  describe(document: Pick<IndexedDocument, 'documentId' | 'title' | 'metadata'>): Promise<void>;
  /**
   * Removes documents. No query that starts after the returned promise resolves sees them. A tombstone
   * remains, so that `stage` and `publish` ignore versions up to `version` afterwards.
   */
  remove(documentIds: string[], version: number): Promise<void>;
  statistics(text: string, split?: SplitDocuments): Promise<TermStatistics>;
  query(query: ShardQuery): Promise<ShardAnswer>;
  /**
   * Returns the documents with at least one chunk that passes the filters, staged chunks included. Returns
   * null if there are more than `limit`.
   */
  documentsMatching(filters: Filters, limit: number): Promise<string[] | null>;
  /** Records versions that an external store must still delete. The highest version of a document counts. */
  recordRemovals(removals: Removal[]): Promise<void>;
  listPendingRemovals(limit: number): Promise<Removal[]>;
  /** Removes completed deletions from the record. A later version that was recorded in the meantime stays. */
  completeRemovals(removals: Removal[]): Promise<void>;
  /** Returns the chunks of the published version, or of the given version, in pages ordered by position. */
  listChunks(
    documentId: string,
    page?: { from: number; limit: number },
    version?: number,
  ): Promise<StoredChunk[]>;
  /** Returns the document and position of a chunk, or null if the shard does not have it. */
  getChunkPlace(chunkId: string): Promise<ChunkPlace | null>;
  /** Returns every version of a document that has not been replaced yet, with its number of chunks. */
  listVersions(documentId: string): Promise<ShardVersion[]>;
  /**
   * Returns published chunks. If there are more than `limit`, returns the newest ones and a random sample.
   * `writtenBy` leaves out versions that are newer than this time in milliseconds.
   */
  samplePoints(limit: number, writtenBy?: number): Promise<PointPlace[]>;
  /** Returns the published chunks of these documents that this shard holds. */
  publishedPoints(documentIds: string[]): Promise<PointPlace[]>;
  /** Checks that the copy of the vectors in Vectorize exists, and creates it again if it does not. */
  checkCopy(): Promise<void>;
  stats(): Promise<ShardStats>;
  drop(): Promise<void>;
}
