import type { Block, Box, Word } from '#src/documents/document.ts';

/** Content of a page as the parser found it, against which a model's text is verified. */
export interface PageTruth {
  text: string;
  /** Whether the text comes from the file or from OCR. */
  source: 'text layer' | 'ocr';
  /** Words with their boxes, from which lines are built, and with their OCR confidence. */
  words?: readonly Word[];
  /** Boxes of the blocks, which separate the labels of a chart from the text around it. */
  blocks?: readonly Pick<Block, 'box'>[];
  /** Texts of running headers and footers according to the layout. Faithful readers omit them. */
  runningHeads?: readonly string[];
  /** OCR confidence of the page from 0 to 1, for words without a confidence of their own. */
  confidence?: number;
}

export type UnsupportedKind = 'number' | 'date' | 'identifier' | 'name' | 'text' | 'repetition' | 'language';

/** Part of the output that the page does not support. Offsets are UTF-16 units of the output. */
export interface Span {
  start: number;
  end: number;
  text: string;
  kind: UnsupportedKind;
}

/**
 * Value that the page prints elsewhere. `printed` is the value that the page has between the same neighbours.
 */
export interface MisplacedSpan extends Span {
  printed: string;
}

/** Amount of the page's content that the output lacks, counted in occurrences. */
export interface Missing {
  numbers: number;
  dates: number;
  identifiers: number;
  names: number;
  words: number;
  /** A few missing passages, the longest first. */
  samples: string[];
}

export interface Verification {
  /** Probability that the output is faithful to the page, from 0 to 1. Meaningless if `known` is false. */
  confidence: number;
  /**
   * Whether the page has enough text to verify the output. A page that is only a picture has no text to
   * compare with.
   */
  known: boolean;
  unsupported: Span[];
  misplaced: MisplacedSpan[];
  /** Values read from pictures, which the page's text neither confirms nor contradicts. */
  readFromPictures: Span[];
  missing: Missing;
}

export interface VerificationOptions {
  /** Pictures of the page that the model was asked to read. */
  pictures?: PicturesRead;
}

export interface PicturesRead {
  /** Boxes of the pictures on the page, including the labels around them. */
  areas: readonly Box[];
  /**
   * Tables of the Markdown that are known to come from a picture, with the box of the picture. Other tables
   * count as read from a picture if the page's text lacks most of their numbers.
   */
  tables: readonly { start: number; end: number; area?: Box }[];
  /**
   * Boxes of pictures that were skipped. Their text does not count as missing, because the skipped pictures
   * are reported separately.
   */
  unread?: readonly Box[];
}
