import type { Rect } from '../geometry.ts';
import { overlapX, overlapY, union } from '../geometry.ts';
import type { TextWord } from './words.ts';

export interface Line extends Rect {
  words: TextWord[];
  /** Font size of most letters in the line. */
  size: number;
  text: string;
  rtl: boolean;
  /** Number of the visual row. Pieces of the same row have the same number. */
  row: number;
}

const RTL = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufeff]/g;
/** All letters that run from right to left come after this one. */
const FIRST_RTL = '\u0590';
const LTR = /[A-Za-z\u00c0-\u024f\u0370-\u052f]/g;
const LETTER = /\p{L}/u;
const CJK = /[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uff00-\uffef\u3000-\u303f]/;
/**
 * Minimum gap in letter heights that separates columns or table cells. Smaller gaps separate words of a
 * sentence.
 */
const SEGMENT_GAP = 0.85;

const countLetters = (text: string, kind: RegExp) => text.match(kind)?.length ?? 0;

interface Row extends Rect {
  words: TextWord[];
  base: number;
  size: number;
}

/** Groups words that stand on the same baseline. Superscripts and subscripts join the row that they touch. */
function groupIntoRows(words: readonly TextWord[]): Row[] {
  const rows: Row[] = [];
  // Rows by vertical position, so that each word is compared with nearby rows only.
  const rowsByBucket = new Map<number, Row[]>();
  const toBucket = (y: number) => Math.floor(y / 16);
  const near = (word: TextWord) => {
    const found: Row[] = [];
    for (let key = toBucket(word.y0) - 2; key <= toBucket(word.y1) + 2; key++)
      for (const each of rowsByBucket.get(key) ?? []) found.push(each);
    return found;
  };
  const bySize = words.toSorted(
    (a, b) => Math.round(b.size) - Math.round(a.size) || a.y1 - b.y1 || a.x0 - b.x0,
  );
  for (const word of bySize) {
    let best: Row | undefined;
    let bestDistance = Infinity;
    for (const row of near(word)) {
      const height = word.y1 - word.y0;
      const distance = Math.abs(row.base - word.y1);
      const sameBaseline = distance <= 0.35 * Math.min(word.size, row.size);
      const raised =
        word.size < row.size * 0.86 &&
        word.size > row.size * 0.35 &&
        overlapY(row, word) >= height * 0.45 &&
        row.words.some((other) => overlapX(other, word) > -0.6 * row.size && other.size > word.size);
      if ((sameBaseline || raised) && distance < bestDistance) {
        best = row;
        bestDistance = distance;
      }
    }
    if (best) best.words.push(word);
    else {
      const row = {
        x0: word.x0,
        y0: word.y0,
        x1: word.x1,
        y1: word.y1,
        words: [word],
        base: word.y1,
        size: word.size,
      };
      rows.push(row);
      const key = toBucket(row.base);
      const list = rowsByBucket.get(key);
      if (list) list.push(row);
      else rowsByBucket.set(key, [row]);
    }
  }
  return rows;
}

function sortInReadingOrder(words: readonly TextWord[]): { words: TextWord[]; rtl: boolean } {
  const ordered = words.toSorted((a, b) => a.x0 - b.x0);
  const text = ordered.map((word) => word.text).join('');
  if (text.search(RTL) < 0) return { words: ordered, rtl: false };
  const rtlLetters = countLetters(text, RTL);
  if (rtlLetters < countLetters(text, LTR)) return { words: ordered, rtl: false };
  // The words run from right to left, but sequences of left-to-right words keep their own order.
  const result: TextWord[] = [];
  /** Consecutive left-to-right words in reverse order. */
  let run: TextWord[] = [];
  for (const word of ordered.toReversed()) {
    if (countLetters(word.text, RTL) === 0 && /[\p{L}\p{N}]/u.test(word.text)) run.push(word);
    else {
      for (const each of run.toReversed()) result.push(each);
      result.push(word);
      run = [];
    }
  }
  return { words: [...result, ...run.toReversed()], rtl: true };
}

/** Returns whether one of two letters runs from right to left and the other one from left to right. */
const changesDirection = (before: string, after: string) =>
  (before >= FIRST_RTL && isRtlLetter(before) && isLtrLetter(after)) ||
  (after >= FIRST_RTL && isLtrLetter(before) && isRtlLetter(after));
const isRtlLetter = (letter: string) => letter.search(RTL) >= 0 && letter.search(LETTER) >= 0;
const isLtrLetter = (letter: string) => letter.search(LTR) >= 0;

/** Returns the text between two neighboring words of a line, which is a space or nothing. */
export function getSeparator(before: TextWord, after: TextWord): string {
  const gap = Math.max(after.x0 - before.x1, before.x0 - after.x1);
  const size = Math.max(before.size, after.size);
  if (gap > 0.12 * size && !(CJK.test(before.text.at(-1)!) && CJK.test(after.text[0]!) && gap < size))
    return ' ';
  // Words of two scripts are written apart, wherever the file draws the space between their directions.
  if (gap > -0.05 * size && changesDirection(before.text.at(-1)!, after.text[0]!)) return ' ';
  return after.spaced && gap > -0.05 * size && !CJK.test(after.text[0]!) ? ' ' : '';
}

export function joinWords(words: readonly TextWord[]): string {
  let text = '';
  for (const [index, word] of words.entries()) {
    const before = words[index - 1];
    text += before ? getSeparator(before, word) + word.text : word.text;
  }
  return text.normalize('NFC');
}

export function toLine(words: readonly TextWord[], row: number): Line {
  const { words: ordered, rtl } = sortInReadingOrder(words);
  const weights = new Map<number, number>();
  for (const word of ordered) {
    const size = Math.round(word.size * 2) / 2;
    weights.set(size, (weights.get(size) ?? 0) + word.text.length);
  }
  let size = 0;
  let most = -1;
  for (const [candidate, weight] of weights) {
    if (weight > most || (weight === most && candidate > size)) {
      size = candidate;
      most = weight;
    }
  }
  return { ...union(ordered), words: ordered, size, rtl, row, text: joinWords(ordered) };
}

/** Splits the lines of a page at gaps that are too wide for a space between words. */
export function splitIntoSegments(words: readonly TextWord[]): Line[] {
  const segments: Line[] = [];
  for (const [index, row] of groupIntoRows(words).entries()) {
    let current: TextWord[] = [];
    let right = -Infinity;
    for (const word of row.words.toSorted((a, b) => a.x0 - b.x0)) {
      if (current.length > 0 && word.x0 - right > SEGMENT_GAP * row.size) {
        segments.push(toLine(current, index));
        current = [];
      }
      current.push(word);
      right = Math.max(current.length === 1 ? -Infinity : right, word.x1);
    }
    if (current.length > 0) segments.push(toLine(current, index));
  }
  return segments.sort((a, b) => a.y1 - b.y1 || a.x0 - b.x0);
}

/** Groups segments by row, with the segments of a row from left to right. The rows keep their order. */
export function groupByRow(segments: readonly Line[]): Line[][] {
  return [...Map.groupBy(segments, ({ row }) => row).values()].map((row) =>
    row.toSorted((a, b) => a.x0 - b.x0),
  );
}

/** Joins segments of the same row into lines, sorted from top to bottom. */
export function joinIntoLines(segments: readonly Line[]): Line[] {
  const rows = new Map<number, TextWord[]>();
  for (const segment of segments) {
    const words = rows.get(segment.row);
    if (words) for (const each of segment.words) words.push(each);
    else rows.set(segment.row, [...segment.words]);
  }
  return [...rows].map(([row, words]) => toLine(words, row)).sort((a, b) => a.y1 - b.y1 || a.x0 - b.x0);
}
