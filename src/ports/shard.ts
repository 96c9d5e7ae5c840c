import type {
  ChunkMetadata,
  DocumentDescription,
  Filters,
  IndexedChunk,
  IndexedDocument,
  SinkAnswer,
  SinkQuery,
  StoredChunk,
} from './index-types.ts';

/** Requests and responses of the shards of the managed index. The types in `SinkQuery` are also used. */

/** Word statistics for BM25, summed over all shards of an index. */
export interface TermStatistics {
  documentCount: number;
  totalLength: number;
  /**
   * Number of chunks that contain each term. Keys are terms in their stemmed form, as the index stores them.
   */
  documentFrequency: Record<string, number>;
  /** Documents that are split over several shards and whose first shard is this one. */
  decided?: SplitDocuments;
}

/**
 * Documents whose chunks are split over several shards, by document id. Each entry has the version that
 * queries may see and its number of chunks in all shards. A document's first shard decides the version. Every
 * query passes this decision on to the other shards.
 */
export type SplitDocuments = Record<string, { version: number; chunkCount: number }>;

export interface Candidate {
  documentId: string;
  version: number;
  position: number;
  score: number;
}

/**
 * Deletion of a document in an external vector store. The given version and all older versions are deleted.
 */
export interface Removal {
  documentId: string;
  version: number;
}

/**
 * Query to one shard. It contains information about the other shards, which the shard itself does not have.
 */
export interface ShardQuery extends SinkQuery {
  /**
   * Results from an external store that holds the vectors. They replace the shard's own dense search, so
   * `vector` is not needed. The shard returns those results that are visible and pass the filters.
   */
  candidates?: Candidate[];
  /** Word statistics of the whole index. Absent if the index has only this shard. */
  statistics?: TermStatistics;
  /**
   * Visible versions of documents that are split over several shards. Split documents without an entry are
   * not returned.
   */
  split?: SplitDocuments;
}

export interface ShardAnswer extends SinkAnswer {
  /**
   * `decided` lists the split documents whose first shard is this one. `held` contains, for each document in
   * the query's `split`, the number of chunks in this shard. Absent if both are empty.
   */
  split?: { decided: SplitDocuments; held: Record<string, number> };
  /**
   * Documents for which the external store returned an outdated version, with the version that is published
   * now.
   */
  overtaken?: { documentId: string; version: number }[];
}

export interface ShardStats {
  documents: number;
  chunks: number;
  /** Number of staged chunks, whose version is not published yet. */
  staged: number;
  /**
   * Maximum number of chunks that the shard can hold, including staged chunks. The longer the vectors, the
   * lower the number.
   */
  capacity: number;
  bytes: number;
  dimension: number | null;
}

/**
 * Chunks of one document that one shard stores. If `chunkCount` is set, the version is published as soon as
 * the shard has that many of its chunks.
 */
export interface StagedPart {
  document: IndexedDocument;
  chunks: IndexedChunk[];
  chunkCount?: number | undefined;
}

export interface Staged {
  /** False if the shard has too little space for the chunks. In that case the shard was not changed. */
  placed: boolean;
  /** True if the shard has no space for more documents. */
  full: boolean;
  /** False if the version is outdated or has been removed. In that case the chunks were ignored. */
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

/** State of one version of a document in one shard. */
export interface ShardVersion {
  version: number;
  published: boolean;
  /**
   * Number of the version's chunks in this shard. `whole` is the number in all shards, if this is the first
   * of several shards.
   */
  chunks: number;
  whole: number | null;
}

/**
 * Operations of one shard of the managed index. Repeating a call with the same arguments is safe. Any number
 * of calls stage a new version of a document, and one call then publishes it. A version that is older than
 * the published one is ignored.
 */
export interface Shard {
  /**
   * Stages chunks of a document. If `chunkCount` is set, also publishes the version in the same step. Empty
   * vectors mean that another store holds the vectors. In one index, either all vectors are empty or none
   * are.
   */
  stage(document: IndexedDocument, chunks: IndexedChunk[], chunkCount?: number): Promise<Staged>;
  stageMany(parts: StagedPart[]): Promise<Staged[]>;
  /**
   * Publishes a version and returns whether it is the published version now. Rejects with `Conflict` if fewer
   * than `chunkCount` chunks are staged. `whole` is set for a document in several shards. It is the total
   * number of chunks for the first shard, and 0 for the others.
   */
  publish(documentId: string, version: number, chunkCount: number, whole?: number): Promise<boolean>;
  /** Updates the title and metadata of a published document without changing its chunks and vectors. */
  describe(document: DocumentDescription): Promise<void>;
  /**
   * Removes documents. Queries that start after the returned promise resolves do not see them. A tombstone
   * remains, so that versions up to `version` can no longer be staged or published.
   */
  remove(documentIds: string[], version: number): Promise<void>;
  statistics(text: string, split?: SplitDocuments): Promise<TermStatistics>;
  query(query: ShardQuery): Promise<ShardAnswer>;
  /**
   * Returns the ids of documents with at least one chunk, staged or published, that passes the filters.
   * Returns null if there are more than `limit`. `chunkMetadata` is described at `SinkQuery`.
   */
  documentsMatching(
    filters: Filters,
    limit: number,
    chunkMetadata?: ChunkMetadata[],
  ): Promise<string[] | null>;
  /**
   * Records versions that must still be deleted from an external store. Only the highest recorded version of
   * each document is kept.
   */
  recordRemovals(removals: Removal[]): Promise<void>;
  listPendingRemovals(limit: number): Promise<Removal[]>;
  /**
   * Removes completed deletions from the record. If a later version was recorded in the meantime, its entry
   * stays.
   */
  completeRemovals(removals: Removal[]): Promise<void>;
  /** Returns chunks of a document, ordered by position. `version` defaults to the published version. */
  listChunks(
    documentId: string,
    page?: { from: number; limit: number },
    version?: number,
  ): Promise<StoredChunk[]>;
  /** Returns the document id and position of a chunk, or null if the shard does not have the chunk. */
  getChunkPlace(chunkId: string): Promise<ChunkPlace | null>;
  /** Returns all versions of a document that have not been replaced yet, with their numbers of chunks. */
  listVersions(documentId: string): Promise<ShardVersion[]>;
  /**
   * Returns published chunks for a comparison with the vector store. If there are more than `limit`, returns
   * the newest ones and a random sample. `writtenBy` is a time in milliseconds and excludes newer versions.
   */
  samplePoints(limit: number, writtenBy?: number): Promise<PointPlace[]>;
  /** Returns the published chunks of the given documents in this shard. */
  publishedPoints(documentIds: string[]): Promise<PointPlace[]>;
  /** Checks whether Vectorize still has its copy of the vectors, and creates the copy again if it is lost. */
  checkCopy(): Promise<void>;
  stats(): Promise<ShardStats>;
  drop(): Promise<void>;
}
