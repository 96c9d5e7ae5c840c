import type { Page } from '#src/documents/document.ts';
import type { TextBlock } from './markdown-blocks.ts';

/** A part of the document's text that is chunked separately: a page, an element or everything. */
export interface Segment {
  text: string;
  /** Offset of `text` in the document's text. */
  startChar: number;
  /** Blocks that cover the text. Absent if the segment is only a part of the document. */
  blocks?: TextBlock[];
}

/** A chunk without a vector. Offsets are UTF-16 code units in the document's text. */
export interface Chunk {
  text: string;
  startChar: number;
  endChar: number;
  /** First and last page, 0-based and inclusive. Absent if the document has no pages. */
  startPage?: number;
  endPage?: number;
  /** Path of the file inside the document that contains the chunk. A chunk never spans two files. */
  member?: string;
  /** Headings above the start of the chunk, outermost first. */
  headings: string[];
}

/** Splits a segment. `embed` is for chunkers that compare meanings. */
export interface Chunker {
  split(segment: Segment, tools: ChunkTools): Promise<{ startChar: number; endChar: number }[]>;
}

export interface ChunkTools {
  countTokens(text: string): number;
  embed(texts: string[]): Promise<Float32Array[]>;
  /**
   * Called every few milliseconds of work, because a long text takes many seconds. May throw to stop the
   * work.
   */
  pause(): Promise<void>;
}

/** A document for chunking: the joined Markdown of its pages, and the start of each page. */
export interface ChunkableDocument {
  text: string;
  /** Offsets at which pages start. Empty for documents without pages. */
  pageStarts: number[];
  pages: Page[];
}

/** A document for segmentation, with the blocks that cover its text. */
export interface ReadDocument extends ChunkableDocument {
  blocks: TextBlock[];
}
