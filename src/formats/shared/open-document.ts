import type { DocumentMetadata, EncodedImage, Page } from '#src/documents/document.ts';

/** How a page is drawn to be read by an OCR engine. */
export interface ReadingOptions {
  /** Whether small print is to be read as well as it can be. */
  fine?: boolean;
  /** Pixels that the engine takes at most. */
  mostPixels: number;
  /** Dots an inch; by default as many as the page's letters need. */
  dpi?: number;
}

export interface DrawingOptions {
  dpi?: number;
  /** Draws a page of a PDF for an engine, in gray and at the resolution that the engine needs; `dpi` is for others. */
  reading?: ReadingOptions;
}

export interface PageOptions {
  /** Leaves out the words of a PDF whose letters have no Unicode value. */
  mappedOnly?: boolean;
}

/**
 * A document held open for reading. Readers ask for the pages they want; parsers that must read the whole
 * file to know one page (an e-mail, a spreadsheet) do so in `open`.
 */
export interface OpenDocument {
  readonly pageCount: number;
  readonly metadata: DocumentMetadata;
  /** The password was needed to open it: later on nobody can, as it is not kept. */
  readonly unlocked?: boolean;
  /**
   * Index is 0-based. Rejects with ParseError when this page alone is unreadable, and with what `turn` throws, which
   * is called between long stretches of work.
   */
  readPage(index: number, turn?: () => Promise<void>, options?: PageOptions): Promise<Page>;
  /** The bytes of one of the page's figures; undefined when there is none of that name. */
  readFigure(pageIndex: number, name: string): Promise<EncodedImage | undefined>;
  /** The page drawn as a picture; absent for formats that have no appearance of their own. */
  renderPage?(index: number, options?: DrawingOptions): Promise<EncodedImage>;
  /** A PDF of the pages of these indexes as they are; present where the file is one itself. */
  copyPages?(indexes: readonly number[]): Promise<Uint8Array>;
  /**
   * The same for reading what it shows, in files of which only some pages have such an appearance; resolves to
   * undefined for the others.
   */
  scan?(index: number, options?: DrawingOptions): Promise<EncodedImage | undefined>;
  /** Frees what the parser holds. Reading after it is a fault. */
  close(): void;
}
