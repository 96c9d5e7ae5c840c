/** Range of shards that hold the chunks of a document. A document that fits into one shard has only one. */
export interface Range {
  first: number;
  last: number;
}

/**
 * Directory of an index's shards and of the documents in them. `src/services/indexes/directory.ts` implements
 * it with D1.
 */
export interface ShardDirectory {
  /** Number of shards, as last read. */
  readonly count: number;
  readonly open: number;
  refresh(): Promise<void>;
  /**
   * Returns the shard ranges of documents, in order. Assigns new documents to the shard that is open for
   * them.
   */
  assign(documentIds: string[]): Promise<Range[]>;
  /** Returns the shard range of a document, or undefined if the index does not contain the document. */
  findRange(documentId: string): Promise<Range | undefined>;
  /** Extends a document to the shards up to `last`, and adds these shards to the index if necessary. */
  extend(documentId: string, last: number): Promise<void>;
  /**
   * Directs new documents to `next` instead of `full`, unless another instance has already replaced `full`.
   */
  replaceOpen(full: number, next: number): Promise<void>;
}
