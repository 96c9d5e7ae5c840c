import type {
  IndexedChunk,
  IndexedDocument,
  ShardAnswer,
  ShardQuery,
  StoredChunk,
} from '#src/search/types.ts';

export interface SinkStats {
  documents: number;
  chunks: number;
  bytes: number;
}

/**
 * Where chunks and vectors live and are searched. Every method may be called twice. A document's version is
 * staged, then published: queries see one version of a document and never a part of one.
 */
export interface Sink {
  /** Says which sink answered, in answers' metadata and in logs. */
  readonly kind: string;
  /** Most chunks a `stage` call may carry. */
  readonly batchSize: number;
  stage(document: IndexedDocument, chunks: IndexedChunk[]): Promise<void>;
  /** `stage` of a version's last chunks and `publish` in one, where a sink can do that with less work. */
  finish?(document: IndexedDocument, chunks: IndexedChunk[], chunkCount: number): Promise<boolean>;
  /** Whether queries see this version from now on: false when it was removed or overtaken meanwhile. */
  publish(documentId: string, version: number, chunkCount: number): Promise<boolean>;
  describe(document: Pick<IndexedDocument, 'documentId' | 'title' | 'metadata'>): Promise<void>;
  /** What was claimed before `version` (milliseconds) can no longer be published. */
  remove(documentIds: string[], version: number): Promise<void>;
  query(query: ShardQuery): Promise<ShardAnswer>;
  chunksOf(documentId: string, page?: { from: number; limit: number }): Promise<StoredChunk[]>;
  stats(): Promise<SinkStats>;
  drop(): Promise<void>;
}
