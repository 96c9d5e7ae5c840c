import type { Word } from '#src/parsing/document.ts';

/** What is known of a page without the model that reads it. */
export interface PageTruth {
  text: string;
  /** How the text was got. */
  source: 'text layer' | 'ocr';
  /** Their boxes say which words stand in one line, and the engine's confidence how far a word is to be believed. */
  words?: readonly Word[];
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
  missing: Missing;
}

export interface VerificationOptions {
  /**
   * Charts of the page were asked for as tables: values of a table that are mostly not in the text were read off a
   * chart, and are not reported.
   */
  charts?: boolean;
}
