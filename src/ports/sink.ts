import { Upstream } from '#src/lib/errors.ts';
import type { Logger } from '#src/lib/log.ts';
import type { Settings } from '#src/settings/settings.ts';
import type {
  DocumentDescription,
  FilterOperator,
  IndexedChunk,
  IndexedDocument,
  SinkAnswer,
  SinkQuery,
  StoredChunk,
} from './index-types.ts';

/** Error of a vector store. The message contains the product's name. */
export class SinkError extends Upstream {
  override readonly name = 'SinkError';
}

export interface SinkStats {
  documents: number;
  chunks: number;
  bytes: number;
}

/** Result of checking whether a vector store contains the points that the index expects. */
export interface StoreComparison {
  /**
   * Number of points that were looked up in the store. They are a sample of all expected points and include
   * the newest ones.
   */
  expected: number;
  missing: number;
}

/** Embeds stored chunks again and returns their vectors in order. */
export type EmbedStored = (chunks: StoredChunk[]) => Promise<Float32Array[]>;

/** Capabilities of a type of vector store. Callers check them before they use an operation. */
export interface SinkCapabilities {
  /** Whether the store supports full-text search. With `none`, the store only supports dense search. */
  sparse: 'native' | 'none';
  /**
   * Filter operators that the store supports, and whether groups of filters may contain groups. Queries with
   * other filters are rejected before the store is called.
   */
  filters: { operators: readonly FilterOperator[]; nesting: boolean };
  /**
   * True if the store can switch a document to a new version in one step. Otherwise the driver names the
   * visible versions in each query.
   */
  transactions: boolean;
  /**
   * Limits of one call of `stage`, `publish` or `publishMany`: maximum number of chunks, and maximum size of
   * their texts in UTF-8 bytes.
   */
  batch: { chunks: number; bytes: number };
}

export interface WholeDocument {
  document: IndexedDocument;
  chunks: IndexedChunk[];
}

/**
 * An index in a vector store, as its driver opens it. Repeating a call with the same arguments is safe. A
 * version of a document is staged first and then published, so that queries never see half of it. Several
 * indexes may share a collection. The driver separates them by index id.
 */
export interface SinkStore {
  /**
   * Creates the collections for vectors of this dimension, unless they exist. Drivers remember existing
   * collections, because this method is called for every document. This method or `stage` rejects a dimension
   * that differs from the store's. The error states both dimensions.
   */
  ensure(dimension: number): Promise<void>;
  stage(document: IndexedDocument, chunks: IndexedChunk[]): Promise<void>;
  /**
   * Stages the last chunks of a version and publishes the version. Rejects with `Conflict` if fewer than
   * `chunkCount` chunks are staged. Returns false if the version was removed or replaced in the meantime,
   * otherwise true.
   */
  publish(document: IndexedDocument, lastChunks: IndexedChunk[], chunkCount: number): Promise<boolean>;
  /**
   * Publishes several small documents in as few requests as possible. Together they must fit into one call
   * (`SinkCapabilities.batch`). Returns one settled result per document, in order. Rejects if all documents
   * fail for the same reason.
   */
  publishMany(documents: WholeDocument[]): Promise<PromiseSettledResult<boolean>[]>;
  /** Updates the title and metadata of a document without changing its chunks and vectors. */
  describe(document: DocumentDescription): Promise<void>;
  /**
   * Removes documents. `version` is a time in milliseconds. After the returned promise resolves, queries see
   * no versions up to `version`. A tombstone remains, so that these versions can no longer be published. A
   * later call with a lower version does not change the tombstone.
   */
  remove(documentIds: string[], version: number): Promise<void>;
  query(query: SinkQuery): Promise<SinkAnswer>;
  /** Returns the published chunks of a document, ordered by position. `page` selects a part of them. */
  listChunks(documentId: string, page?: { from: number; limit: number }): Promise<StoredChunk[]>;
  chunk(id: string): Promise<StoredChunk | undefined>;
  /**
   * Returns the number of published documents and chunks, and the stored bytes. `bytes` is 0 if the store
   * does not report its size.
   */
  stats(): Promise<SinkStats>;
  /**
   * Checks with one request whether the store contains the points that the index expects. If the store only
   * has a copy of the vectors, the copy is repaired automatically and no points are reported as missing.
   */
  compare(): Promise<StoreComparison>;
  /**
   * Writes points again that the store has lost. Returns the number of written points, which is 0 if the
   * index itself stores the vectors.
   */
  restore(documentIds: string[], embed: EmbedStored): Promise<number>;
  /**
   * Repeats deletions and updates that failed earlier because the store was unavailable. Called at the start
   * of each sync run. Absent if the store needs no repetition.
   */
  catchUp?(): Promise<void>;
  /**
   * Deletes all data of this index from the store, including tombstones. Other indexes in the same collection
   * are not changed.
   */
  drop(): Promise<void>;
}

/**
 * Vector store of one index, with its type and capabilities. The rest of the service uses stores through this
 * interface.
 */
export interface Sink extends SinkStore {
  /** Type of the vector store, for response metadata and logs. */
  readonly kind: string;
  readonly capabilities: SinkCapabilities;
}

/** Services and settings that drivers of external vector stores need. */
export interface SinkDeps {
  fetch: typeof fetch;
  log: Logger;
  settings: Pick<Settings, 'ALLOW_PRIVATE_ADDRESSES' | 'SILENCE_SECONDS'>;
}
