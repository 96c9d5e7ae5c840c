/**
 * The one document model: what every parser produces and every later stage reads.
 * All boxes are in PDF points (1/72 inch) with the origin at the page's top left.
 */
export interface Box {
  x: number;
  y: number;
  w: number;
  h: number;
}

export type BlockType = 'heading' | 'paragraph' | 'list' | 'table' | 'figure' | 'code' | 'header' | 'footer';

/** A piece of a page in reading order. `markdown` is the block rendered alone; `level` is 1..6 for headings. */
export interface Block {
  type: BlockType;
  text: string;
  markdown: string;
  level?: number;
  box?: Box;
  /** Where each of its lines stands, when that was asked for. */
  lines?: Word[];
}

/**
 * A word and its box, flat so that a page of them stays small when stored: [text, x, y, w, h], and how sure the
 * OCR engine is of it, 0..1, where one read the page and says so.
 */
export type Word = [text: string, x: number, y: number, w: number, h: number, confidence?: number];

export interface Link {
  text: string;
  url: string;
  box?: Box;
}

/** A picture inside a page. `name` is unique within the document; the bytes are read apart. */
export interface Figure {
  name: string;
  pageIndex: number;
  box?: Box;
  /** Pixels of the stored image. */
  width: number;
  height: number;
  /** Size of the encoded image in bytes. */
  byteSize: number;
  mimeType: 'image/png' | 'image/jpeg' | 'image/webp' | 'image/gif';
  /** 0..1: how sure the parser is that this is a picture a reader would want. */
  confidence: number;
  /** Logos repeated over pages, rules, spacers. */
  isLikelyNoise: boolean;
}

/** A table or figure, cut out of the picture of its page. Its name is unique within the document. */
export interface LayoutImage {
  name: string;
  type: BlockType;
  box: Box;
  byteSize: number;
}

/** What the text layer of a PDF page gives of the characters that the page draws. Spaces do not count. */
export interface GlyphAccount {
  drawn: number;
  /** Characters with a Unicode value. */
  extracted: number;
  /** Characters without a Unicode value: their text is not known. */
  withoutUnicode: number;
}

/** A part of a file that is missing from what was read of it. */
export interface Omission {
  kind: OmissionKind;
  /** Says in a sentence what is missing and why. */
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
  /** What a reader would call the page: its printed label when the format has one, else index + 1. */
  label: string;
  /** Points. Formats without a page size use 612 x 792. */
  width: number;
  height: number;
  text: string;
  markdown: string;
  blocks: Block[];
  words: Word[];
  links: Link[];
  figures: Figure[];
  /** Those that were cut out while parsing; absent where there is none. */
  layoutImages?: LayoutImage[];
  /** Which file inside this one the page is of, and which of that file's pages, 0-based; absent of the file's own pages. */
  member?: { path: string; pageIndex: number };
  /** Where lines and areas are drawn that may be a chart or a diagram: pictures without an image in the file. */
  drawings?: Box[];
  /** The part of the page that was read, where the parameters cut something off. */
  area?: Box;
  /** The page shows content (an image, outlines) but has no text layer or only a stamp, and nothing has read it yet. */
  needsOcr?: boolean;
  /** Characters drawn and extracted; absent in formats other than PDF. */
  glyphs?: GlyphAccount;
  /** Where characters without a Unicode value stand, on a page whose text layer lacks so many that it needs OCR. */
  unmapped?: Box[];
  /** Parts of the page that are missing from what was read; absent where nothing is known to be missing. */
  omissions?: Omission[];
  /** Why the page could not be drawn, and so what it shows could not be read. */
  notDrawn?: string;
  /** Why the page could not be read at all; what stands in for it is what the parameters ask for. */
  error?: string;
  /** An OCR engine read the page, and is so sure of it, 0..1, when it says. Absent for text layers. */
  ocr?: { confidence?: number };
  /** Absent where no formula was to be computed. */
  formulas?: SheetFormulas;
  /** How far an OCR engine that read the page's picture agrees with its text layer, 0..1, where that was asked for. */
  agreement?: number;
  /** Absent where the parser alone read the page. */
  readBy?: ReadBy;
  /** How what a model wrote compares with the page, where that could be told. */
  verification?: PageVerification;
}

/** Of a sheet some of whose formulas were computed. */
export interface SheetFormulas {
  /** Formulas whose computed result is shown, and those whose stored one is. */
  computed: number;
  stored: number;
  /** Where the computed result is not what was stored: the first 100. */
  different: { cell: string; stored: string; computed: string }[];
  /** Formulas that were to be computed and could not be: the first 100. */
  notComputed: { cell: string; reason: string }[];
}

/** How a page of a parse that asks for a model was read. */
export interface ReadBy {
  mode: string;
  /** Null where no model did. */
  model: string | null;
  /** Of the prompts and of what is made of answers. */
  version: string;
  reason: string;
}

/** What a comparison found in a page's Markdown: [start, end) in UTF-16 units. */
export interface DoubtedPart {
  start: number;
  end: number;
  kind: string;
}

export interface PageVerification {
  /** 0..1. */
  confidence: number;
  /** What the page does not say. */
  unsupported: DoubtedPart[];
  /** What stands elsewhere on the page, with what is printed in its place. */
  misplaced: (DoubtedPart & { printed: string })[];
  /** What was read off pictures: the page's text neither says nor contradicts it. */
  readFromPictures?: DoubtedPart[];
  /** How much of the page the Markdown lacks, in occurrences. */
  missing: { numbers: number; dates: number; identifiers: number; names: number; words: number };
}

export interface DocumentMetadata {
  title?: string;
  author?: string;
  /** ISO 8601. */
  createdAt?: string;
  modifiedAt?: string;
  /** Parts of the file that are missing from what was read, those of single pages not among them. */
  omissions?: Omission[];
  /** ISO 639-1, detected from the text when the format does not say. */
  language?: string;
  [key: string]: unknown;
}

export interface EncodedImage {
  bytes: Uint8Array;
  mimeType: Figure['mimeType'];
  /** Pixels as shown: a picture that lies on its side is higher than its bytes are. */
  width: number;
  height: number;
  /** EXIF's word for how the bytes are to be turned to be shown, 2 to 8; absent: as they are. */
  orientation?: number;
}
