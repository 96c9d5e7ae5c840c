import type {
  Filters,
  IndexedChunk,
  IndexedDocument,
  SinkAnswer,
  SinkQuery,
  StoredChunk,
} from './index-types.ts';

/**
 * The words of the managed index alone: what its shards are asked beside a `SinkQuery`, and what they answer.
 */

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

/** A chunk that another store found by its vector. */
export interface Candidate {
  documentId: string;
  version: number;
  position: number;
  score: number;
}

/** A version, all older ones and no later one of a document: what a store is to be rid of. */
export interface Removal {
  documentId: string;
  version: number;
}

/** What one shard is asked: the query, and what it cannot know of the other shards. */
export interface ShardQuery extends SinkQuery {
  /**
   * In place of `vector`, where another store holds the vectors: the dense arm is those of these chunks that queries
   * see and the filters let through.
   */
  candidates?: Candidate[];
  /** Statistics of the whole index; absent when this shard is the whole index. */
  statistics?: TermStatistics;
  /** What to show of documents that live in several shards; absent: nothing. */
  split?: SplitDocuments;
}

export interface ShardAnswer extends SinkAnswer {
  /**
   * `decided`: the documents in several shards whose first one this is. `held`: how many chunks it has of each
   * document that the query named in `split`. Absent when there are none.
   */
  split?: { decided: SplitDocuments; held: Record<string, number> };
  /** Documents that have candidates of an older version than the published one, which this is. */
  overtaken?: { documentId: string; version: number }[];
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

/** Chunks of one document for a shard; with `chunkCount`, of that many in all, its version is published with them. */
export interface StagedPart {
  document: IndexedDocument;
  chunks: IndexedChunk[];
  chunkCount?: number | undefined;
}

export interface Staged {
  /** False: the shard has no room for these chunks, and nothing was changed. */
  placed: boolean;
  /** The shard has no room to spare for documents that it does not hold yet. */
  full: boolean;
  /** False: the version was overtaken or removed, and its chunks were left out. */
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
  /**
   * With `chunkCount` the version is published in the same step, as `publish` would. Vectors without components are
   * those that another store holds; an index has only such, or none.
   */
  stage(document: IndexedDocument, chunks: IndexedChunk[], chunkCount?: number): Promise<Staged>;
  /** As `stage` for each of them, in order, in one call. Rejects with the first refusal: those before it are done. */
  stageMany(parts: StagedPart[]): Promise<Staged[]>;
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
  /**
   * The documents of which some version has a chunk that the filters let through, staged ones among them; null when
   * they are more than `limit`.
   */
  documentsMatching(filters: Filters, limit: number): Promise<string[] | null>;
  /** Remembers what another store still holds of documents that are gone from here; the highest version counts. */
  owe(removals: Removal[]): Promise<void>;
  owed(limit: number): Promise<Removal[]>;
  /** These are done; what was owed meanwhile for a later version stays. */
  settle(removals: Removal[]): Promise<void>;
  /** The chunks of a document in order, paged by position: of the published version, or of the one given. */
  chunksOf(
    documentId: string,
    page?: { from: number; limit: number },
    version?: number,
  ): Promise<StoredChunk[]>;
  /** Which document a chunk belongs to, and its position there; null when the shard has no chunk of that id. */
  placeOf(chunkId: string): Promise<ChunkPlace | null>;
  /** Every version of a document that was not replaced yet. */
  versionsOf(documentId: string): Promise<ShardVersion[]>;
  /**
   * Returns published chunks: all of them if they are no more than `limit`, else the newest and some drawn at random.
   * `writtenBy` leaves out versions that are newer than this time in milliseconds.
   */
  samplePoints(limit: number, writtenBy?: number): Promise<PointPlace[]>;
  /** Returns the chunks of the published versions of these documents, as far as they are in this shard. */
  publishedPoints(documentIds: string[]): Promise<PointPlace[]>;
  /** Looks whether the copy of the vectors in Vectorize is still there, and begins it anew if it is not. */
  checkCopy(): Promise<void>;
  stats(): Promise<ShardStats>;
  /** Everything in the shard, gone. */
  drop(): Promise<void>;
}
