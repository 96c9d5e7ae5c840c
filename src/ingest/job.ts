import type { Embedder } from '#src/ports/embedder.ts';
import type { Metadata } from '#src/ports/index-types.ts';
import type { Sink } from '#src/ports/sink.ts';
import type { TransformConfig } from './chunking/transform-config.ts';
import type { MetadataEntry } from './searched-metadata.ts';

/** Everything that turns one document into published chunks; opened by whoever owns the work. */
export interface IngestJob {
  documentId: string;
  /** Orders this attempt against others and against removals, see Shard. */
  version: number;
  pipelineId: string;
  title: string;
  metadata: Metadata;
  transform: TransformConfig;
  /** Whether the title is part of what is embedded. */
  embedTitle: boolean;
  /** What of its metadata is embedded and searched with each chunk. */
  searchedMetadata: MetadataEntry[];
  /** Hash of what is embedded besides headings and text; known vectors with another one are made anew. */
  contextHash: string;
  embedder: Embedder;
  sink: Sink;
  bucket: R2Bucket;
  /** Called between steps; throws when nobody wants the result any more. */
  checkpoint(): Promise<void>;
}

export interface IngestResult {
  pageCount: number;
  chunkCount: number;
  /** 0-based pages that show something but have no text that could be read. */
  pagesNeedingOcr: number[];
  /** Why the first of these pages could not even be drawn; absent if it could, or if there is none. */
  notDrawn?: string | undefined;
  /** 0-based pages that could not be read because they are damaged. */
  failedPages: number[];
  /** Equal bytes had been parsed before. */
  cachedParse: boolean;
  seconds: { parse: number; chunk: number; embed: number; write: number };
}

/** The document was removed, or indexed by somebody else, while it was being indexed: its version counts no more. */
export class Overtaken extends Error {
  override readonly name = 'Overtaken';

  constructor(documentId: string) {
    super(`${documentId} was removed or replaced while it was being indexed.`);
  }
}
