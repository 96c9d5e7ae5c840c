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

/** A vector store refused or failed. Its message names the kind of the store. */
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
  /** Number of points that were looked up: a sample of those that the store should hold, the newest among them. */
  expected: number;
  /** Number of those that the store does not hold. */
  missing: number;
}

/** Makes the vectors of chunks that the index keeps, in their order. */
export type EmbedStored = (chunks: StoredChunk[]) => Promise<Float32Array[]>;

/** What a kind of store can do; callers ask here instead of trying. */
export interface SinkCapabilities {
  /** `none`: the store finds nothing by words, and is asked by vectors alone. */
  sparse: 'native' | 'none';
  /** Queries with other operators, or with groups in groups where they do not nest, are refused before the store is asked. */
  filters: { operators: readonly FilterOperator[]; nesting: boolean };
  /**
   * Whether the store switches a document from one version to the next in one step; where it does not, the driver has
   * queries name the versions that they may see.
   */
  transactions: boolean;
  /** The most that one call of `stage`, `publish` or `publishMany` may carry: chunks, and bytes of their texts in UTF-8. */
  batch: { chunks: number; bytes: number };
}

/** A version of a document with all of its chunks. */
export interface WholeDocument {
  document: IndexedDocument;
  chunks: IndexedChunk[];
}

/**
 * One index in a store, as its driver opens it: a plain object. Every method may be called twice with the same
 * arguments. A document's version is staged, then published: queries see one version of a document and never a
 * part of one. Several indexes may share a collection; a driver keeps them apart by `SinkDeps.indexId`.
 */
export interface SinkStore {
  /**
   * Makes what the store needs to hold vectors of this dimension, where it is absent. Called before a document's
   * first `stage`, so drivers remember what they have made. Another dimension than the store's is refused here or by
   * `stage`, in words that name both.
   */
  ensure(dimension: number): Promise<void>;
  stage(document: IndexedDocument, chunks: IndexedChunk[]): Promise<void>;
  /**
   * Stages a version's last chunks and shows the version, which has `chunkCount` chunks in all; rejects with Conflict
   * while some are missing. Answers whether queries see this version from now on: false when it was removed or
   * overtaken meanwhile.
   */
  publish(document: IndexedDocument, lastChunks: IndexedChunk[], chunkCount: number): Promise<boolean>;
  /**
   * Publishes small documents, each as `publish` would, in as few steps as the store allows; all of them together are
   * no more than one call carries (`SinkCapabilities.batch`). Tells of each how that went, in their order; rejects where
   * that is the same for all.
   */
  publishMany(documents: WholeDocument[]): Promise<PromiseSettledResult<boolean>[]>;
  /** New title and metadata for a document; its chunks and vectors stay. */
  describe(document: Pick<IndexedDocument, 'documentId' | 'title' | 'metadata'>): Promise<void>;
  /**
   * From the return on no query sees versions up to `version` (milliseconds). Leaves a tombstone: what was claimed
   * before can no longer be published, and no later call with a lower version lowers it.
   */
  remove(documentIds: string[], version: number): Promise<void>;
  query(query: SinkQuery): Promise<SinkAnswer>;
  /** The published chunks of a document in order, paged by position. */
  chunksOf(documentId: string, page?: { from: number; limit: number }): Promise<StoredChunk[]>;
  /** A published chunk by its id. */
  chunk(id: string): Promise<StoredChunk | undefined>;
  /** Published documents and chunks, and bytes where the store tells (else 0). */
  stats(): Promise<SinkStats>;
  /**
   * Checks by one call of the store whether it holds what the index should hold. A store that keeps a mere copy of
   * vectors mends the copy itself, and never reports missing points.
   */
  compare(): Promise<StoreComparison>;
  /**
   * Writes those points of published documents that the store has lost, from the chunks that the index keeps. Returns
   * the number of points that were written; 0 where the index keeps the vectors itself.
   */
  restore(documentIds: string[], embed: EmbedStored): Promise<number>;
  /**
   * Does what the store could not be told when it was to be done, as far as it can be reached by now. Called when a run
   * begins; absent where nothing is ever left over.
   */
  catchUp?(): Promise<void>;
  /** Everything of this index gone, its tombstones too. Other indexes in the same collection stay. */
  drop(): Promise<void>;
}

/** Where chunks and vectors live and are searched, as the service uses it. */
export interface Sink extends SinkStore {
  /** Says which store answered, in answers' metadata and in logs. */
  readonly kind: string;
  readonly capabilities: SinkCapabilities;
}

/** What drivers of external stores are given beside their settings. */
export interface SinkDeps {
  fetch: typeof fetch;
  log: Logger;
  settings: Pick<Settings, 'ALLOW_PRIVATE_ADDRESSES' | 'SILENCE_SECONDS'>;
}
