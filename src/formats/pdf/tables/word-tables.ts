import type { Rect } from '../geometry.ts';
import { containsCenter, median } from '../geometry.ts';
import { splitIntoSegments } from '../text/lines.ts';
import type { TextWord } from '../text/words.ts';
import { findAlignedTables } from './aligned-tables.ts';
import { findDrawnTables } from './drawn-tables.ts';
import type { Table } from './tables.ts';

/** A word with its bounding box, such as a word that OCR recognized. `y` grows downwards. */
export interface BoxedWord extends Rect {
  text: string;
  bold?: boolean | undefined;
}

export interface WordTableOptions {
  /** Horizontal and vertical lines of the page as thin rectangles. */
  rules?: readonly Rect[];
  /** True to accept weaker evidence for tables, as in a picture that shows only a table. */
  aggressive?: boolean;
  /** True to find only tables whose rows and columns are divided by lines. */
  drawnOnly?: boolean;
}

/**
 * Finds the tables of a page or region from its words and lines. A table covers the words whose center lies
 * in its box. The lengths that decide are multiples of the letter height, apart from a few points of
 * tolerance, so the boxes should be in points.
 */
export function findTablesInWords(
  words: readonly BoxedWord[],
  { rules = [], aggressive = false, drawnOnly = false }: WordTableOptions = {},
): Table[] {
  const filled = words.filter(({ text }) => text.trim() !== '');
  const usual = median(filled.map((word) => word.y1 - word.y0));
  const textWords = filled.map((word) => toTextWord(word, usual));
  const drawn = findDrawnTables(rules, textWords, false);
  if (drawnOnly) return drawn;
  const free = textWords.filter((word) => !drawn.some((table) => containsCenter(table, word)));
  const aligned = findAlignedTables(splitIntoSegments(free), rules, {
    aggressiveTables: aggressive,
    tables: {},
  });
  return [...drawn, ...aligned.map(({ table }) => table)].sort((a, b) => a.y0 - b.y0);
}

/** Largest deviation of a letter height from the usual one, as a factor, that descenders can explain. */
const MAX_DEVIATION = 1.6;

/**
 * Boxes around the ink of a word end at different heights, depending on its letters. Words of usual height get
 * a box of the usual height around the same center, so that the words of a line end at the same height.
 */
function toTextWord({ text, bold = false, x0, y0, x1, y1 }: BoxedWord, usual: number): TextWord {
  const height = y1 - y0;
  const isUsual = height < MAX_DEVIATION * usual && height * MAX_DEVIATION > usual;
  const size = isUsual ? usual : height;
  const middle = (y0 + y1) / 2;
  return {
    x0,
    y0: middle - size / 2,
    x1,
    y1: middle + size / 2,
    text,
    size,
    style: { bold, italic: false, monospace: false, font: '' },
    turns: 0,
    spaced: true,
    hyphenated: false,
    hidden: false,
    white: false,
  };
}
