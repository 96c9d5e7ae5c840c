/**
 * Bounding box in PDF points (1/72 inch) from the top left corner of the page. This file defines the document
 * model that all parsers produce and all later stages read.
 */
export interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}

export type BlockType = 'heading' | 'paragraph' | 'list' | 'table' | 'figure' | 'code' | 'header' | 'footer';

/**
 * Part of a page, such as a paragraph or table. `markdown` is the block in Markdown, and `level` is the
 * heading level from 1 to 6.
 */
export interface Block {
  type: BlockType;
  text: string;
  markdown: string;
  level?: number;
  box?: Box;
  /** Place of the block's first cell in a spreadsheet, with row and column counted from 0. Absent elsewhere. */
  cell?: { row: number; column: number };
  /** Lines of the block with their bounding boxes. Present only if the parse parameters request them. */
  lines?: Word[];
}

/**
 * Word with its bounding box: [text, x, y, w, h]. A sixth element is the OCR engine's confidence from 0 to 1,
 * if reported. The flat tuple keeps stored pages small.
 */
export type Word = [text: string, x: number, y: number, w: number, h: number, confidence?: number];

export interface Link {
  text: string;
  url: string;
  box?: Box;
}

/** Picture on a page. `name` is unique within the document. The picture's bytes are stored separately. */
export interface Figure {
  name: string;
  pageIndex: number;
  box?: Box;
  /** Width of the stored picture in pixels. `height` is its height. */
  width: number;
  height: number;
  /** Size of the encoded picture in bytes. */
  byteSize: number;
  mimeType: 'image/png' | 'image/jpeg' | 'image/webp' | 'image/gif';
  /** Estimated probability, from 0 to 1, that a reader wants to see the picture. */
  confidence: number;
  /** True if the picture is probably a repeated logo, a rule or a spacer. */
  isLikelyNoise: boolean;
}

/** Table or figure that was cut out of the rendered page. `name` is unique within the document. */
export interface LayoutImage {
  name: string;
  type: BlockType;
  box: Box;
  byteSize: number;
}

/** Counts of characters that a PDF page draws, with and without known text. Spaces are not counted. */
export interface GlyphCounts {
  drawn: number;
  /** Number of drawn characters with a Unicode value. */
  extracted: number;
  /** Number of drawn characters without a Unicode value. Their text is unknown. */
  withoutUnicode: number;
}

/** Part of a file that was not read, with the reason. */
export interface Omission {
  kind: OmissionKind;
  /** Sentence for users that names the missing part and the reason. */
  message: string;
}

export const OMISSION_KINDS = [
  'unread_page',
  'characters_without_unicode',
  'picture_not_read',
  'language_without_model',
  'doubtful_text',
  'too_many_pictures',
  'embedded_file',
  'unsupported_object',
  'hidden_part',
  'too_large',
  'failed_member',
] as const;
export type OmissionKind = (typeof OMISSION_KINDS)[number];

export interface Page {
  /** 0-based index of the page in the document. */
  index: number;
  /** Page label that the document defines. The default is the page number. */
  label: string;
  /** Page width in points. Formats without pages use 612 by 792 points. */
  width: number;
  height: number;
  text: string;
  markdown: string;
  blocks: Block[];
  words: Word[];
  links: Link[];
  figures: Figure[];
  /** Tables and figures that were cut out of the rendered page. Absent if there are none. */
  layoutImages?: LayoutImage[];
  /**
   * Path of the nested file that contains the page, such as an attachment, and the 0-based page index in that
   * file. Absent for pages of the outer file.
   */
  member?: { path: string; pageIndex: number };
  /** Areas with vector graphics, such as charts or diagrams, that are not stored as images in the file. */
  drawings?: Box[];
  /** Area of the page that was read. Present only if the parse parameters exclude margins. */
  area?: Box;
  /** True if the page still needs OCR: it shows images or outlines, and has no text layer or only a stamp. */
  needsOcr?: boolean;
  /** Counts of the page's characters with and without known text. Set only for PDF pages. */
  glyphs?: GlyphCounts;
  /**
   * Bounding boxes of characters without a Unicode value. Present only if their number makes OCR necessary.
   */
  unmapped?: Box[];
  /** Parts of the page that were not read. Absent if none are known. */
  omissions?: Omission[];
  /** Reason why the page could not be rendered as an image. OCR could then not read its pictures. */
  notDrawn?: string;
  /** Reason why OCR could not read the page. Absent if it was not tried. */
  notRead?: string;
  /** Reason why the page could not be read. The parse parameters determine which text replaces it. */
  error?: string;
  /** Present if an OCR engine read the page. `confidence` is from 0 to 1, if the engine reports it. */
  ocr?: { confidence?: number };
  /** How the formulas of a spreadsheet were computed. Absent if no formula was computed. */
  formulas?: SheetFormulas;
  /** Agreement of the OCR text with the text layer, from 0 to 1. Present only if it was requested. */
  agreement?: number;
  /** How a language model read the page. Absent if only the parser read it. */
  readBy?: ReadBy;
  /** Comparison of the language model's text with the printed page. Absent if none was possible. */
  verification?: PageVerification;
}

/** How the formulas of a spreadsheet were computed. */
export interface SheetFormulas {
  /**
   * Number of formulas whose newly computed result is shown. `stored` counts formulas whose result in the
   * file is shown.
   */
  computed: number;
  stored: number;
  /** First 100 formulas whose computed result differs from the result stored in the file. */
  different: { cell: string; stored: string; computed: string }[];
  /** First 100 formulas that could not be computed. */
  notComputed: { cell: string; reason: string }[];
}

/** How a page was read, if the parse parameters request a language model. */
export interface ReadBy {
  mode: string;
  /** Name of the language model. Null if no model read the page. */
  model: string | null;
  /** Version of the prompts and of the code that processes the model's answers. */
  version: string;
  reason: string;
}

/**
 * Range of a page's Markdown that may be wrong, because it differs from the printed page. `start` and `end`
 * are offsets in UTF-16 code units, and `end` is exclusive.
 */
export interface DoubtedPart {
  start: number;
  end: number;
  kind: string;
}

export interface PageVerification {
  /** Confidence from 0 to 1 that the model's text matches the page. */
  confidence: number;
  /** Text in the model's answer that is not printed on the page. */
  unsupported: DoubtedPart[];
  /** Text that the page prints in another place. `printed` is the text that the page prints here. */
  misplaced: (DoubtedPart & { printed: string })[];
  /** Text that the model read from pictures. The page's text neither confirms nor contradicts it. */
  readFromPictures?: DoubtedPart[];
  /** Number of printed items that are missing in the model's Markdown, by kind. */
  missing: { numbers: number; dates: number; identifiers: number; names: number; words: number };
}

export interface DocumentMetadata {
  title?: string;
  author?: string;
  /** Creation time in ISO 8601 format. */
  createdAt?: string;
  modifiedAt?: string;
  /** Parts of the file that were not read. Missing parts of a single page are listed with the page. */
  omissions?: Omission[];
  /** ISO 639-1 code of the language. It is detected from the text if the file does not state it. */
  language?: string;
  [key: string]: unknown;
}

export interface EncodedImage {
  bytes: Uint8Array;
  mimeType: Figure['mimeType'];
  /** Width in pixels as displayed, after the EXIF orientation is applied. */
  width: number;
  height: number;
  /** EXIF orientation from 2 to 8. Absent if the stored pixels are displayed unchanged. */
  orientation?: number;
}
