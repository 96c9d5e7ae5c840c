/** Range of shards that hold the chunks of a document. Most documents fit into one shard. */
export interface Range {
  first: number;
  last: number;
}

/** Version of a document that was indexed, and its number of chunks. */
export interface IndexedVersion {
  documentId: string;
  version: number;
  chunks: number;
}

/**
 * Directory that records the shards of an index and which documents they hold.
 * `src/services/indexes/directory.ts` implements it with D1.
 */
export interface ShardDirectory {
  readonly count: number;
  readonly open: number;
  refresh(): Promise<void>;
  /**
   * Returns the shard ranges of documents, in order. New documents are assigned to the shard that accepts new
   * documents.
   */
  assign(documentIds: string[]): Promise<Range[]>;
  /**
   * Returns the shard range of a document. Returns `undefined` if the index does not contain the document.
   */
  findRange(documentId: string): Promise<Range | undefined>;
  /** Extends a document's range to the shard `last`. Adds shards to the index if necessary. */
  extend(documentId: string, last: number): Promise<void>;
  /**
   * Directs new documents to the shard `next`, because the shard `full` has no room. Does nothing if another
   * instance has already replaced `full`.
   */
  replaceOpen(full: number, next: number): Promise<void>;
  /**
   * Returns the newest indexed documents that have chunks, and a random sample of all others. Returns an empty
   * list if the index has none.
   */
  sampleIndexed(): Promise<IndexedVersion[]>;
}
