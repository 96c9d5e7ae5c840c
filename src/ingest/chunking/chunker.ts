import type { Page } from '#src/documents/document.ts';
import type { TextBlock } from './markdown-blocks.ts';

/** A stretch of the document's text that segmentation keeps apart: a page, an element, or all of it. */
export interface Segment {
  text: string;
  /** Offset of `text` in the document's text. */
  startChar: number;
  /** The blocks that tile it; left out where it is only a part of the document. */
  blocks?: TextBlock[];
}

/** A chunk before it has a vector. Offsets are UTF-16 code units into the document's text. */
export interface Chunk {
  text: string;
  startChar: number;
  endChar: number;
  /** 0-based, inclusive; absent when the document has no pages. */
  startPage?: number;
  endPage?: number;
  /** The path of the file inside the document that it is of; no chunk is of two. */
  member?: string;
  /** The headings in force where the chunk starts, outermost first. */
  headings: string[];
}

/** Cuts one segment; `embed` is there for chunkers that compare meanings. */
export interface Chunker {
  split(segment: Segment, tools: ChunkTools): Promise<{ startChar: number; endChar: number }[]>;
}

export interface ChunkTools {
  countTokens(text: string): number;
  embed(texts: string[]): Promise<Float32Array[]>;
  /** Called every few milliseconds of work, which a long text takes many seconds of; may throw to end it. */
  pause(): Promise<void>;
}

/** The document as chunking sees it: joined Markdown of its pages and where each page starts. */
export interface ChunkableDocument {
  text: string;
  /** Offset of each page's start; empty for documents without pages. */
  pageStarts: number[];
  pages: Page[];
}

/** As segmentation sees it: with the blocks that tile the text. */
export interface ReadDocument extends ChunkableDocument {
  blocks: TextBlock[];
}
