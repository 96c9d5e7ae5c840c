import type { TableOptions } from '#src/documents/markdown/render-table.ts';
import { largest } from '#src/lib/extremes.ts';
import type { Rect } from '../geometry.ts';
import type { Table } from '../tables/tables.ts';
import type { BoxedWord } from '../tables/word-tables.ts';
import type { Draft } from './blocks.ts';
import { HeadingStyles } from './headings/styles.ts';
import { layoutPage } from './layout.ts';
import { Vocabulary } from './vocabulary.ts';
import type { TextWord } from './words.ts';

/** Letter height in points that the boxes of usual words should have. */
export const USUAL_HEIGHT = 10;
/**
 * Limits of the letter heights that count as usual. OCR boxes enclose the ink, so lines without ascenders are
 * much lower than others in the same font.
 */
const [LOWEST_USUAL, HIGHEST_USUAL] = [0.5 * USUAL_HEIGHT, 1.4 * USUAL_HEIGHT];
/** Height of capital letters, to which OCR boxes reach, in usual fonts. In font sizes. */
const CAPITAL_HEIGHT = 0.72;
/** Maximum distance of a word's middle from the middle of its line, in letter heights. */
const MAX_SHIFT = 0.5;
/** Share of the words of a line that are not higher than its letters. The others touch a rule or a picture. */
const HEIGHT_QUANTILE = 0.75;

export interface RecognizedPage {
  /** Words by line, in points, as `alignLine` returns them. */
  lines: readonly (readonly BoxedWord[])[];
  /** Horizontal and vertical lines of the picture. */
  rules: readonly Rect[];
  tables: readonly Table[];
  /** Returns false if aligned words in a column are no table. */
  isTable(table: Table): boolean;
  options: TableOptions;
}

/** Returns the blocks of recognized text in reading order. The words inside the tables must be part of `lines`. */
export function layOutRecognized({ lines, rules, tables, isTable, options }: RecognizedPage): Draft[] {
  const words = lines.flat().map(toTextWord);
  return layoutPage({
    words,
    tables,
    isTable,
    formulas: [],
    rules,
    width: largest(words.map(({ x1 }) => x1)),
    height: largest(words.map(({ y1 }) => y1)),
    plan: { tables: { outlined: false }, layout: { ignoreColumns: false } },
    context: {
      bodySize: USUAL_HEIGHT,
      pageNumber: undefined,
      fontSizePerSize: 1 / CAPITAL_HEIGHT,
      bodyIsMonospace: false,
      headingStyles: new HeadingStyles([{ words }], [new Map()]),
      outline: new Map(),
      vocabulary: new Vocabulary([{ words }]),
      tables: options,
      aggressiveTables: false,
      findLinkUrl: () => undefined,
    },
    findRunning: () => new Set(),
  });
}

/**
 * Gives the words of a line a common middle and height. The boxes of OCR end at different heights, depending on
 * the letters of each word.
 */
export function alignLine(line: readonly BoxedWord[]): BoxedWord[] {
  const middle = quantile(
    line.map(({ y0, y1 }) => (y0 + y1) / 2),
    0.5,
  );
  const height = measureLineHeight(line.map(({ y0, y1 }) => y1 - y0));
  return line.map((word) => {
    const { y0, y1 } = word;
    const isInLine = Math.abs((y0 + y1) / 2 - middle) < MAX_SHIFT * height && y1 - y0 < 2 * height;
    const own = isInLine ? height : y1 - y0;
    const size = own > LOWEST_USUAL && own < HIGHEST_USUAL ? USUAL_HEIGHT : own;
    const at = isInLine ? middle : (y0 + y1) / 2;
    return { ...word, y0: at - size / 2, y1: at + size / 2 };
  });
}

/** Returns the letter height of a line from the heights of its words. */
export const measureLineHeight = (heights: number[]): number => quantile(heights, HEIGHT_QUANTILE);

const toTextWord = ({ text, bold = false, x0, y0, x1, y1 }: BoxedWord): TextWord => ({
  ...{ x0, y0, x1, y1, text, size: y1 - y0, turns: 0, spaced: true },
  ...{ hyphenated: false, hidden: false, white: false },
  style: { bold, italic: false, monospace: false, font: '' },
});

function quantile(values: number[], share: number): number {
  const sorted = values.sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}
