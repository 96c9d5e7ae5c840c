import type { DocumentMetadata, EncodedImage, Page } from '#src/documents/document.ts';

/** Options for drawing a page as the input of an OCR engine. */
export interface ReadingOptions {
  /** True to draw the page at a higher resolution, so that the OCR engine can read small print. */
  fine?: boolean;
  /** Maximum number of pixels that the OCR engine accepts in one picture. */
  maxPixels: number;
  /**
   * Resolution of the drawn page in dots per inch. If absent, the resolution is derived from the height of
   * the letters on the page.
   */
  dpi?: number;
}

export interface DrawingOptions {
  dpi?: number;
  /**
   * Set if the picture is input for an OCR engine. PDF pages are then drawn in gray at the resolution that
   * the engine needs, and `dpi` is ignored.
   */
  reading?: ReadingOptions;
}

export interface PageOptions {
  /** True to leave out the words of a PDF whose letters have no Unicode value. */
  mappedOnly?: boolean;
}

/**
 * A document that is open for reading single pages. Formats that must be read completely to know one page,
 * such as e-mails and spreadsheets, are parsed in `open`.
 */
export interface OpenDocument {
  readonly pageCount: number;
  readonly metadata: DocumentMetadata;
  /**
   * True if a password was used to open the document. The password is not stored, so later requests cannot
   * open the file again.
   */
  readonly unlocked?: boolean;
  /**
   * Reads the page with the 0-based `index`. Long reads call `turn` regularly, so that other tasks can run.
   * Rejects with ParseError if only this page is unreadable, or with the error that `turn` throws.
   */
  readPage(index: number, turn?: () => Promise<void>, options?: PageOptions): Promise<Page>;
  /** Returns one of the page's figures by name, or `undefined` if the page has no figure with this name. */
  readFigure(pageIndex: number, name: string): Promise<EncodedImage | undefined>;
  /**
   * Draws a page as a picture. Absent for formats without a fixed page layout, such as e-mails and
   * spreadsheets.
   */
  renderPage?(index: number, options?: DrawingOptions): Promise<EncodedImage>;
  /**
   * Creates a PDF with copies of the pages at the given 0-based indexes. Only present if the file is a PDF.
   */
  copyPages?(indexes: readonly number[]): Promise<Uint8Array>;
  /**
   * Draws a page as a picture for OCR. Present for files of which only some pages can be drawn. Resolves to
   * `undefined` for the other pages.
   */
  scan?(index: number, options?: DrawingOptions): Promise<EncodedImage | undefined>;
  /** Frees the memory that the parser holds. The document must not be read afterwards. */
  close(): void;
}
