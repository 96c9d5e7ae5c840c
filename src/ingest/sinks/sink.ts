import type {
  IndexedChunk,
  IndexedDocument,
  ShardAnswer,
  ShardQuery,
  StoredChunk,
} from '../../search/types.ts';

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
  publish(documentId: string, version: number, chunkCount: number): Promise<void>;
  describe(document: Pick<IndexedDocument, 'documentId' | 'title' | 'metadata'>): Promise<void>;
  /** What was claimed before `version` (milliseconds) can no longer be published. */
  remove(documentIds: string[], version: number): Promise<void>;
  query(query: ShardQuery): Promise<ShardAnswer>;
  chunksOf(documentId: string, page?: { from: number; limit: number }): Promise<StoredChunk[]>;
  stats(): Promise<SinkStats>;
  drop(): Promise<void>;
}
