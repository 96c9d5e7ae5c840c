import { Upstream } from '#src/lib/errors.ts';
import type { Logger } from '#src/lib/log.ts';
import type { Settings } from '#src/settings/settings.ts';
import type {
  FilterOperator,
  IndexedChunk,
  IndexedDocument,
  SinkAnswer,
  SinkQuery,
  StoredChunk,
} from './index-types.ts';

/** Failure or refusal of a vector store. The message names the product. */
export class SinkError extends Upstream {
  override readonly name = 'SinkError';
}

export interface SinkStats {
  documents: number;
  chunks: number;
  bytes: number;
}

/** Result of comparing an index with its store. */
export interface StoreComparison {
  /**
   * Number of points that were looked up. They are a sample of the points that the store should hold,
   * including the newest.
   */
  expected: number;
  /** Number of looked-up points that the store does not hold. */
  missing: number;
}

/** Embeds chunks that the index keeps and returns their vectors in order. */
export type EmbedStored = (chunks: StoredChunk[]) => Promise<Float32Array[]>;

/** Capabilities of a kind of store. Callers check them instead of trying an operation. */
export interface SinkCapabilities {
  /** `none` means that the store has no full-text search and is only queried by vectors. */
  sparse: 'native' | 'none';
  /**
   * Supported filter operators, and whether filter groups may contain groups. Other queries are rejected
   * before the store is called.
   */
  filters: { operators: readonly FilterOperator[]; nesting: boolean };
  /**
   * True if the store can switch a document to a new version in one step. Otherwise the driver lists the
   * visible versions in its queries.
   */
  transactions: boolean;
  /**
   * Limits of one call of `stage`, `publish` or `publishMany`: number of chunks, and UTF-8 bytes of their
   * texts.
   */
  batch: { chunks: number; bytes: number };
}

export interface WholeDocument {
  document: IndexedDocument;
  chunks: IndexedChunk[];
}

/**
 * Index in a store, as its driver opens it. Every method may be called twice with the same arguments. A
 * version of a document is staged and then published, so that queries never see a part of a version. Several
 * indexes may share a collection, and the driver separates them by their index id.
 */
export interface SinkStore {
  /**
   * Creates the collections that vectors of this dimension need, if they do not exist. It is called before
   * the first `stage` of every document, so drivers remember what exists. This method or `stage` rejects a
   * dimension that differs from the store's, with an error that names both.
   */
  ensure(dimension: number): Promise<void>;
  stage(document: IndexedDocument, chunks: IndexedChunk[]): Promise<void>;
  /**
   * Stages the last chunks of a version and publishes it. Rejects with Conflict if fewer than `chunkCount`
   * chunks are staged. Returns false if the version was removed or replaced in the meantime, and true
   * otherwise.
   */
  publish(document: IndexedDocument, lastChunks: IndexedChunk[], chunkCount: number): Promise<boolean>;
  /**
   * Publishes small documents in as few requests as the store allows. Together they must fit into one call
   * (`SinkCapabilities.batch`). Returns one settled result per document, in order. Rejects if all of them
   * fail for the same reason.
   */
  publishMany(documents: WholeDocument[]): Promise<PromiseSettledResult<boolean>[]>;
  /** Sets the title and metadata of a document. Its chunks and vectors stay. */
  describe(document: Pick<IndexedDocument, 'documentId' | 'title' | 'metadata'>): Promise<void>;
  /**
   * Removes documents. Once the returned promise resolves, no query sees versions up to `version` (a time in
   * milliseconds). A tombstone remains, so that those versions can no longer be published. A later call with
   * a lower version does not lower the tombstone.
   */
  remove(documentIds: string[], version: number): Promise<void>;
  query(query: SinkQuery): Promise<SinkAnswer>;
  /** Returns the published chunks of a document, in pages ordered by position. */
  listChunks(documentId: string, page?: { from: number; limit: number }): Promise<StoredChunk[]>;
  /** Returns a published chunk by its id, or undefined if there is none. */
  chunk(id: string): Promise<StoredChunk | undefined>;
  /**
   * Returns the number of published documents and chunks, and the stored bytes. The number of bytes is 0 if
   * the store does not report it.
   */
  stats(): Promise<SinkStats>;
  /**
   * Checks with one request whether the store holds what the index should hold. A store that only keeps a
   * copy of the vectors repairs the copy itself and never reports missing points.
   */
  compare(): Promise<StoreComparison>;
  /**
   * Writes points that the store has lost, from the chunks that the index keeps. Returns the number of
   * written points, which is 0 if the index keeps the vectors itself.
   */
  restore(documentIds: string[], embed: EmbedStored): Promise<number>;
  /**
   * Repeats deletions and updates that the store could not receive earlier. Called when a sync run begins.
   * Absent if the store never has such a backlog.
   */
  catchUp?(): Promise<void>;
  /** Deletes everything of this index, including tombstones. Other indexes in the same collection stay. */
  drop(): Promise<void>;
}

/** Store of chunks and vectors, as the rest of the service uses it. */
export interface Sink extends SinkStore {
  /** Kind of the store, for response metadata and logs. */
  readonly kind: string;
  readonly capabilities: SinkCapabilities;
}

/** Dependencies of drivers for external stores. */
export interface SinkDeps {
  fetch: typeof fetch;
  log: Logger;
  settings: Pick<Settings, 'ALLOW_PRIVATE_ADDRESSES' | 'SILENCE_SECONDS'>;
}
