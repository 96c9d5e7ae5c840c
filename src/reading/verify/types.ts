import type { Block, Box, Word } from '#src/documents/document.ts';

/** What is known of a page without the model that reads it. */
export interface PageTruth {
  text: string;
  /** How the text was got. */
  source: 'text layer' | 'ocr';
  /** Their boxes say which words stand in one line, and the engine's confidence how far a word is to be believed. */
  words?: readonly Word[];
  /** Their boxes tell what is printed in a chart from the text around it. */
  blocks?: readonly Pick<Block, 'box'>[];
  /** What the layout takes for running heads and feet: faithful readers leave them out. */
  runningHeads?: readonly string[];
  /** How sure the OCR engine is of the page, 0..1, for words without a confidence of their own. */
  confidence?: number;
}

export type UnsupportedKind = 'number' | 'date' | 'identifier' | 'name' | 'text' | 'repetition' | 'language';

/** A part of the output that the page does not bear out. Offsets are those of the output, in UTF-16 units. */
export interface Span {
  start: number;
  end: number;
  text: string;
  kind: UnsupportedKind;
}

/** A value that the page has, but not here: `printed` is what stands on the page between the same neighbours. */
export interface MisplacedSpan extends Span {
  printed: string;
}

/** How much of the page the output lacks, counted in occurrences. */
export interface Missing {
  numbers: number;
  dates: number;
  identifiers: number;
  names: number;
  words: number;
  /** A few of them, the longest stretches first. */
  samples: string[];
}

export interface Verification {
  /** How likely the output is to say what the page says, 0..1; means nothing where `known` is false. */
  confidence: number;
  /** Whether the page has text enough to judge by: one that is all picture says nothing of what was read off it. */
  known: boolean;
  unsupported: Span[];
  misplaced: MisplacedSpan[];
  /** What was read off pictures: the text of the page neither says nor contradicts it. */
  readFromPictures: Span[];
  missing: Missing;
}

export interface VerificationOptions {
  /** What was asked to be read off the page's pictures. */
  pictures?: PicturesRead;
}

export interface PicturesRead {
  /** Where they are on the page, with the labels around them. */
  areas: readonly Box[];
  /** Tables of the Markdown that are known to be of one of the areas; any other is one that the text mostly lacks. */
  tables: readonly { start: number; end: number; area?: Box }[];
  /** Those of which nothing was read, which is told elsewhere: what they print is no loss. */
  unread?: readonly Box[];
}
