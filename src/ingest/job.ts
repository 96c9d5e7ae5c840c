import type { Embedder, SparseEmbedder } from '#src/ports/embedder.ts';
import type { Metadata } from '#src/ports/index-types.ts';
import type { Sink } from '#src/ports/sink.ts';
import type { TransformConfig } from './chunking/transform-config.ts';
import type { MetadataEntry } from './searched-metadata.ts';

/** Inputs and tools for turning one document into published chunks. */
export interface IngestJob {
  documentId: string;
  /** Version number that orders this attempt among other attempts and removals of the document. */
  version: number;
  pipelineId: string;
  title: string;
  metadata: Metadata;
  transform: TransformConfig;
  embedTitle: boolean;
  /** Metadata of the document that is embedded and searched with each of its chunks. */
  searchedMetadata: MetadataEntry[];
  /**
   * Hash of everything besides headings and text that is embedded with a chunk. Stored chunks with another
   * hash are embedded again.
   */
  contextHash: string;
  embedder: Embedder;
  /** Learned sparse model of the index. Undefined if sparse search uses the words of the chunks. */
  sparse?: SparseEmbedder | undefined;
  sink: Sink;
  bucket: R2Bucket;
  /** Called between steps of the work. Throws if the result is no longer needed. */
  checkpoint(): Promise<void>;
}

export interface IngestResult {
  pageCount: number;
  chunkCount: number;
  /** 0-based indexes of pages that contain no readable text although they show content, such as scans. */
  pagesNeedingOcr: number[];
  /**
   * Reason why the first of the pages in `pagesNeedingOcr` could not be drawn or read. Absent if no OCR engine
   * tried to read it.
   */
  unreadReason?: string | undefined;
  /** 0-based indexes of pages that are damaged and could not be read. */
  failedPages: number[];
  cachedParse: boolean;
  seconds: { parse: number; chunk: number; embed: number; write: number };
}

/**
 * Thrown if the document was removed or indexed by another attempt in the meantime. The version of this
 * attempt is then outdated.
 */
export class DocumentSuperseded extends Error {
  override readonly name = 'DocumentSuperseded';

  constructor(documentId: string) {
    super(`${documentId} was removed or replaced while it was being indexed.`);
  }
}
