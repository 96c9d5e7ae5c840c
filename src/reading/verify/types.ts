import type { Block, Box, Word } from '#src/documents/document.ts';

/** Content of a page as the parser read it. A language model's output is verified against this content. */
export interface PageTruth {
  text: string;
  /** Whether the text was stored in the file or recognized by OCR. */
  source: 'text layer' | 'ocr';
  /** Words of the page with their boxes and OCR confidence. Printed lines are built from them. */
  words?: readonly Word[];
  /** Boxes of the page's blocks. They separate the labels of a chart from the surrounding text. */
  blocks?: readonly Pick<Block, 'box'>[];
  /** Texts of running headers and footers in the layout. The model's output may omit them. */
  runningHeads?: readonly string[];
  /** OCR confidence of the page, from 0 to 1. It applies to words without a confidence of their own. */
  confidence?: number;
}

export type UnsupportedKind = 'number' | 'date' | 'identifier' | 'name' | 'text' | 'repetition' | 'language';

/**
 * Part of the model's output that the page does not support. Offsets are in UTF-16 code units of the output.
 */
export interface Span {
  start: number;
  end: number;
  text: string;
  kind: UnsupportedKind;
}

/**
 * Value of the output that the page prints in another place. `printed` is the value that the page prints
 * between the same neighbours.
 */
export interface MisplacedSpan extends Span {
  printed: string;
}

/** Content of the page that the output lacks: the number of missing occurrences of each kind. */
export interface Missing {
  numbers: number;
  dates: number;
  identifiers: number;
  names: number;
  words: number;
  samples: string[];
}

export interface Verification {
  /**
   * Probability, from 0 to 1, that the output is faithful to the page. Has no meaning if `known` is false.
   */
  confidence: number;
  /**
   * Whether the page has enough text to verify the output. False, for example, if the page is only a picture.
   */
  known: boolean;
  unsupported: Span[];
  misplaced: MisplacedSpan[];
  /** Values that the model read from pictures. The page's text neither confirms nor contradicts them. */
  readFromPictures: Span[];
  missing: Missing;
}

export interface VerificationOptions {
  pictures?: PicturesRead;
}

export interface PicturesRead {
  /** Boxes of the pictures on the page, including the labels around each picture. */
  areas: readonly Box[];
  /**
   * Tables of the Markdown that are known to come from a picture, with the picture's box. Other tables count
   * as read from a picture if the page's text lacks most of their numbers.
   */
  tables: readonly { start: number; end: number; area?: Box }[];
  /**
   * Boxes of pictures that the model did not read. Their text does not count as missing, because these
   * pictures are reported separately.
   */
  unread?: readonly Box[];
}
