/** The shards that a document's chunks are in: one, unless it was too large for the room that one had. */
export interface Range {
  first: number;
  last: number;
}

/** Knows which shards there are and which of them hold which document; kept in D1 by src/services/indexes/directory.ts. */
export interface ShardDirectory {
  /** How many shards there are, and which of them takes new documents, as last read. */
  readonly count: number;
  readonly open: number;
  /** Reads `count` and `open` again. */
  refresh(): Promise<void>;
  /** The documents' shards, in their order, after giving new documents the open one. */
  assign(documentIds: string[]): Promise<Range[]>;
  /** Undefined when the document is not in the index. */
  rangeOf(documentId: string): Promise<Range | undefined>;
  /** Makes shards up to `last` the document's, and the index's. */
  extend(documentId: string, last: number): Promise<void>;
  /** Lets `next` take new documents in place of `full`, unless another one does so by now. */
  replaceOpen(full: number, next: number): Promise<void>;
}
