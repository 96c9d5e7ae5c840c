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

/** A block of a page. `markdown` is the rendered block, and `level` is 1 to 6 for headings. */
export interface Block {
  type: BlockType;
  text: string;
  markdown: string;
  level?: number;
  box?: Box;
  /** Lines of the block with their bounding boxes. Only present if they were requested. */
  lines?: Word[];
}

/**
 * A word with its bounding box: [text, x, y, w, h]. If an OCR engine reports a confidence from 0 to 1, it
 * follows. A flat tuple keeps stored pages small.
 */
export type Word = [text: string, x: number, y: number, w: number, h: number, confidence?: number];

export interface Link {
  text: string;
  url: string;
  box?: Box;
}

/** A picture on a page. `name` is unique within the document. The bytes are read separately. */
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
  /** True if the picture is probably a repeated logo, a rule or a spacer. */
  isLikelyNoise: boolean;
}

/** A table or figure that was cut out of the picture of the page. `name` is unique within the document. */
export interface LayoutImage {
  name: string;
  type: BlockType;
  box: Box;
  byteSize: number;
}

/** Number of characters that a PDF page draws and that its text layer provides. Spaces are not counted. */
export interface GlyphCounts {
  drawn: number;
  /** Number of characters with a Unicode value. */
  extracted: number;
  /** Number of characters without a Unicode value, whose text is unknown. */
  withoutUnicode: number;
}

/** A part of a file that was not read. */
export interface Omission {
  kind: OmissionKind;
  /** Sentence for users that names the missing part and the reason. */
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
  /** 0-based index of the page in the document. */
  index: number;
  /** Page label that the document defines. The default is the page number. */
  label: string;
  /** Page width in points. Formats without a page size use 612 x 792. */
  width: number;
  height: number;
  text: string;
  markdown: string;
  blocks: Block[];
  words: Word[];
  links: Link[];
  figures: Figure[];
  /** Tables and figures that were cut out while parsing. Absent if there are none. */
  layoutImages?: LayoutImage[];
  /**
   * Path of the nested file that contains the page, and the 0-based page index in that file. Absent for pages
   * of the outer file.
   */
  member?: { path: string; pageIndex: number };
  /** Regions with vector graphics that may be charts or diagrams and are not images in the file. */
  drawings?: Box[];
  /** Part of the page that was read. Only present if the parse parameters exclude margins. */
  area?: Box;
  /**
   * True if the page shows images or outlines, has no text layer or only a stamp, and was not read by OCR
   * yet.
   */
  needsOcr?: boolean;
  /** Number of drawn and extracted characters. Only set for PDF pages. */
  glyphs?: GlyphCounts;
  /**
   * Bounding boxes of characters without a Unicode value. Only present if so many are missing that the page
   * needs OCR.
   */
  unmapped?: Box[];
  /** Parts of the page that were not read. Absent if none are known. */
  omissions?: Omission[];
  /** Reason why the page could not be drawn. Its pictures could then not be read by OCR. */
  notDrawn?: string;
  /** Reason why the page could not be read at all. The parse parameters determine what replaces its text. */
  error?: string;
  /** Set if an OCR engine read the page. `confidence` is from 0 to 1 if the engine reports it. */
  ocr?: { confidence?: number };
  /** Results of computing the formulas of a sheet. Absent if no formula was computed. */
  formulas?: SheetFormulas;
  /** Agreement between OCR and the text layer, from 0 to 1. Only present if it was requested. */
  agreement?: number;
  /** How a model read the page. Absent if only the parser read it. */
  readBy?: ReadBy;
  /** Comparison of the model's text with the page. Absent if no comparison was possible. */
  verification?: PageVerification;
}

/** Results of computing a sheet's formulas. */
export interface SheetFormulas {
  /**
   * Number of formulas whose computed result is shown. `stored` counts formulas whose stored result is shown.
   */
  computed: number;
  stored: number;
  /** First 100 formulas whose computed result differs from the stored one. */
  different: { cell: string; stored: string; computed: string }[];
  /** First 100 formulas that could not be computed. */
  notComputed: { cell: string; reason: string }[];
}

/** How a page was read in a parse that requests a model. */
export interface ReadBy {
  mode: string;
  /** Name of the model. Null if no model read the page. */
  model: string | null;
  /** Version of the prompts and of the processing of the model's answers. */
  version: string;
  reason: string;
}

/**
 * A range of a page's Markdown that may be wrong according to the comparison. `start` and `end` are offsets
 * in UTF-16 code units, and `end` is exclusive.
 */
export interface DoubtedPart {
  start: number;
  end: number;
  kind: string;
}

export interface PageVerification {
  /** Confidence from 0 to 1. */
  confidence: number;
  /** Text of the model's answer that the page does not contain. */
  unsupported: DoubtedPart[];
  /** Text that is elsewhere on the page. `printed` is the text at its position on the page. */
  misplaced: (DoubtedPart & { printed: string })[];
  /** Text that was read from pictures. The page's text neither confirms nor contradicts it. */
  readFromPictures?: DoubtedPart[];
  /** Number of items on the page that the Markdown lacks, by kind. */
  missing: { numbers: number; dates: number; identifiers: number; names: number; words: number };
}

export interface DocumentMetadata {
  title?: string;
  author?: string;
  /** Time in ISO 8601 format. */
  createdAt?: string;
  modifiedAt?: string;
  /** Parts of the file that were not read. Missing parts of single pages are listed on the pages. */
  omissions?: Omission[];
  /** ISO 639-1 code, detected from the text if the format does not state it. */
  language?: string;
  [key: string]: unknown;
}

export interface EncodedImage {
  bytes: Uint8Array;
  mimeType: Figure['mimeType'];
  /** Width in pixels as displayed, after applying the orientation. */
  width: number;
  height: number;
  /** EXIF orientation from 2 to 8. Absent if the stored pixels are displayed unchanged. */
  orientation?: number;
}
