import type { Embedder } from '#src/ports/embedder.ts';
import type { Metadata } from '#src/ports/index-types.ts';
import type { Sink } from '#src/ports/sink.ts';
import type { TransformConfig } from './chunking/transform-config.ts';
import type { MetadataEntry } from './searched-metadata.ts';

/** Inputs and tools for turning one document into published chunks. The owner of the work opens them. */
export interface IngestJob {
  documentId: string;
  /** Orders this attempt against other attempts and removals; see Shard. */
  version: number;
  pipelineId: string;
  title: string;
  metadata: Metadata;
  transform: TransformConfig;
  /** Whether the title is embedded. */
  embedTitle: boolean;
  /** Metadata that is embedded and searched with each chunk. */
  searchedMetadata: MetadataEntry[];
  /** Hash of what is embedded besides headings and text. Vectors with another hash are embedded again. */
  contextHash: string;
  embedder: Embedder;
  sink: Sink;
  bucket: R2Bucket;
  /** Called between steps. Throws if the result is no longer wanted. */
  checkpoint(): Promise<void>;
}

export interface IngestResult {
  pageCount: number;
  chunkCount: number;
  /** 0-based pages that show content without readable text. */
  pagesNeedingOcr: number[];
  /** Reason why the first of these pages could not be drawn. Absent if it could. */
  notDrawn?: string | undefined;
  /** 0-based pages that are damaged and could not be read. */
  failedPages: number[];
  /** Whether the parse came from the cache. */
  cachedParse: boolean;
  seconds: { parse: number; chunk: number; embed: number; write: number };
}

/**
 * Thrown if the document was removed or indexed by another attempt in the meantime, so that this version is
 * outdated.
 */
export class Overtaken extends Error {
  override readonly name = 'Overtaken';

  constructor(documentId: string) {
    super(`${documentId} was removed or replaced while it was being indexed.`);
  }
}
