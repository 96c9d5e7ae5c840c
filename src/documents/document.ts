/**
 * Document model that every parser produces and every later stage reads. Boxes are in PDF points (1/72 inch)
 * from the page's top left.
 */
export interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}

export type BlockType = 'heading' | 'paragraph' | 'list' | 'table' | 'figure' | 'code' | 'header' | 'footer';

/**
 * A block of a page in reading order. `markdown` is the rendered block, and `level` is 1 to 6 for headings.
 */
export interface Block {
  type: BlockType;
  text: string;
  markdown: string;
  level?: number;
  box?: Box;
  /** Lines of the block with their boxes, if they were requested. */
  lines?: Word[];
}

/**
 * A word with its box: [text, x, y, w, h] and, if an OCR engine reports it, a confidence from 0 to 1. A flat
 * tuple keeps stored pages small.
 */
export type Word = [text: string, x: number, y: number, w: number, h: number, confidence?: number];

export interface Link {
  text: string;
  url: string;
  box?: Box;
}

/** A picture inside a page. `name` is unique within the document. The bytes are read separately. */
export interface Figure {
  name: string;
  pageIndex: number;
  box?: Box;
  /** Size of the stored image, in pixels. */
  width: number;
  height: number;
  /** Size of the encoded image in bytes. */
  byteSize: number;
  mimeType: 'image/png' | 'image/jpeg' | 'image/webp' | 'image/gif';
  /** Confidence from 0 to 1 that a reader would want to see this picture. */
  confidence: number;
  /** Whether the picture is probably a repeated logo, a rule or a spacer. */
  isLikelyNoise: boolean;
}

/** A table or figure that was cut out of the page's picture. `name` is unique within the document. */
export interface LayoutImage {
  name: string;
  type: BlockType;
  box: Box;
  byteSize: number;
}

/**
 * Number of characters that a PDF page draws, and of those that its text layer provides. Spaces do not count.
 */
export interface GlyphAccount {
  drawn: number;
  /** Number of characters with a Unicode value. */
  extracted: number;
  /** Number of characters without a Unicode value, whose text is unknown. */
  withoutUnicode: number;
}

/** A part of a file that was not read. */
export interface Omission {
  kind: OmissionKind;
  /** Sentence that says what is missing and why. */
  message: string;
}

export const OMISSION_KINDS = [
  'unread_page',
  'characters_without_unicode',
  'picture_not_read',
  'too_many_pictures',
  'embedded_file',
  'unsupported_object',
  'hidden_part',
  'too_large',
  'failed_member',
] as const;
export type OmissionKind = (typeof OMISSION_KINDS)[number];

export interface Page {
  /** 0-based position in the document. */
  index: number;
  /** Printed page label if the format has one, otherwise `index + 1`. */
  label: string;
  /** Size in points. Formats without a page size use 612 x 792. */
  width: number;
  height: number;
  text: string;
  markdown: string;
  blocks: Block[];
  words: Word[];
  links: Link[];
  figures: Figure[];
  /** Tables and figures cut out while parsing. Absent if there is none. */
  layoutImages?: LayoutImage[];
  /**
   * Path of the file inside this file that contains the page, and the 0-based page in that file. Absent for
   * the file's own pages.
   */
  member?: { path: string; pageIndex: number };
  /** Regions with vector graphics that may be a chart or diagram, without an image in the file. */
  drawings?: Box[];
  /** Part of the page that was read, if the parameters exclude a margin. */
  area?: Box;
  /**
   * Whether the page shows content (an image or outlines), has no text layer or only a stamp, and was not
   * read yet.
   */
  needsOcr?: boolean;
  /** Drawn and extracted characters. Only set for PDF. */
  glyphs?: GlyphAccount;
  /** Boxes of characters without a Unicode value, on a page that lacks so many that it needs OCR. */
  unmapped?: Box[];
  /** Parts of the page that were not read. Absent if none is known. */
  omissions?: Omission[];
  /** Reason why the page could not be drawn, so that the content it shows could not be read. */
  notDrawn?: string;
  /** Reason why the page could not be read at all. The parameters decide what replaces its text. */
  error?: string;
  /** Set if an OCR engine read the page, with its confidence from 0 to 1 if reported. */
  ocr?: { confidence?: number };
  /** Absent if no formula had to be computed. */
  formulas?: SheetFormulas;
  /** Agreement of OCR with the text layer, from 0 to 1, if it was requested. */
  agreement?: number;
  /** Absent if only the parser read the page. */
  readBy?: ReadBy;
  /** Comparison of a model's text with the page, if it was possible. */
  verification?: PageVerification;
}

/** Result of computing a sheet's formulas. */
export interface SheetFormulas {
  /** Number of formulas whose computed result is shown, and of those whose stored result is shown. */
  computed: number;
  stored: number;
  /** First 100 formulas whose computed result differs from the stored one. */
  different: { cell: string; stored: string; computed: string }[];
  /** First 100 formulas that could not be computed. */
  notComputed: { cell: string; reason: string }[];
}

/** How a page was read, in a parse that requests a model. */
export interface ReadBy {
  mode: string;
  /** Name of the model, or null if none read the page. */
  model: string | null;
  /** Version of the prompts and of the processing of answers. */
  version: string;
  reason: string;
}

/** A range of a page's Markdown that the comparison questions: [start, end) in UTF-16 code units. */
export interface DoubtedPart {
  start: number;
  end: number;
  kind: string;
}

export interface PageVerification {
  /** Confidence from 0 to 1. */
  confidence: number;
  /** Text that the page does not contain. */
  unsupported: DoubtedPart[];
  /** Text that stands elsewhere on the page, with the text printed in its place. */
  misplaced: (DoubtedPart & { printed: string })[];
  /** Text read from pictures, which the page's text neither confirms nor contradicts. */
  readFromPictures?: DoubtedPart[];
  /** Number of items of the page that the Markdown lacks. */
  missing: { numbers: number; dates: number; identifiers: number; names: number; words: number };
}

export interface DocumentMetadata {
  title?: string;
  author?: string;
  /** Time in ISO 8601 format. */
  createdAt?: string;
  modifiedAt?: string;
  /** Parts of the file that were not read, except parts of single pages. */
  omissions?: Omission[];
  /** ISO 639-1 code, detected from the text if the format does not state it. */
  language?: string;
  [key: string]: unknown;
}

export interface EncodedImage {
  bytes: Uint8Array;
  mimeType: Figure['mimeType'];
  /** Size in pixels as shown, after rotation. */
  width: number;
  height: number;
  /** EXIF orientation from 2 to 8. Absent: the bytes are shown unchanged. */
  orientation?: number;
}
