import type { Page } from '#src/documents/document.ts';
import type { TextBlock } from './markdown-blocks.ts';

/** Part of the document's text that is chunked separately: a page, an element, or the whole text. */
export interface Segment {
  text: string;
  startChar: number;
  /**
   * Blocks that cover the segment's text, such as headings and tables. Absent if the segment is only a part
   * of the document.
   */
  blocks?: TextBlock[];
}

/** A chunk without a vector. Offsets are UTF-16 code units in the document's text. */
export interface Chunk {
  text: string;
  startChar: number;
  endChar: number;
  /** First and last page of the chunk, 0-based and inclusive. Absent if the document has no pages. */
  startPage?: number;
  endPage?: number;
  /**
   * Path of the nested file that contains the chunk, such as an attachment. A chunk never spans two files.
   */
  member?: string;
  /** Headings above the start of the chunk, from the outermost to the innermost. */
  headings: string[];
}

/** Splits a segment into chunks. Chunkers that compare the meanings of sentences call `tools.embed`. */
export interface Chunker {
  split(segment: Segment, tools: ChunkTools): Promise<{ startChar: number; endChar: number }[]>;
}

export interface ChunkTools {
  countTokens(text: string): number;
  embed(texts: string[]): Promise<Float32Array[]>;
  /**
   * Called every few milliseconds of work to let other requests run, because a long text takes many seconds.
   * May throw to stop the work.
   */
  pause(): Promise<void>;
}

/** Document to be chunked: the joined Markdown of its pages, and the start of each page. */
export interface ChunkableDocument {
  text: string;
  /** Offsets in the text at which pages start. Empty for documents without pages. */
  pageStarts: number[];
  pages: Page[];
}

export interface ReadDocument extends ChunkableDocument {
  blocks: TextBlock[];
}
