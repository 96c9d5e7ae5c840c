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
/** No character that `CJK` matches comes before this one. Most letters are compared with it only. */
const FIRST_CJK = '\u3000';
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

/**
 * Returns whether a word stands on the baseline of a row, or is a smaller word that touches the row. `distance` is the
 * distance of their baselines.
 */
function fitsRow(row: Row, word: TextWord, distance: number): boolean {
  if (distance <= 0.35 * Math.min(word.size, row.size)) return true;
  return (
    word.size < row.size * 0.86 &&
    word.size > row.size * 0.35 &&
    overlapY(row, word) >= (word.y1 - word.y0) * 0.45 &&
    row.words.some((other) => overlapX(other, word) > -0.6 * row.size && other.size > word.size)
  );
}

/** Groups words that stand on the same baseline. Superscripts and subscripts join the row that they touch. */
function groupIntoRows(words: readonly TextWord[]): Row[] {
  const rows: Row[] = [];
  // Rows by vertical position, so that each word is compared with nearby rows only.
  const rowsByBucket = new Map<number, Row[]>();
  const toBucket = (y: number) => Math.floor(y / 16);
  const bySize = words.toSorted(
    (a, b) => Math.round(b.size) - Math.round(a.size) || a.y1 - b.y1 || a.x0 - b.x0,
  );
  for (const word of bySize) {
    let best: Row | undefined;
    let bestDistance = Infinity;
    const lastBucket = toBucket(word.y1) + 2;
    for (let key = toBucket(word.y0) - 2; key <= lastBucket; key++) {
      const rowsNearby = rowsByBucket.get(key);
      if (!rowsNearby) continue;
      for (const row of rowsNearby) {
        const distance = Math.abs(row.base - word.y1);
        if (distance < bestDistance && fitsRow(row, word, distance)) {
          best = row;
          bestDistance = distance;
        }
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

/** Returns whether words are in the order of their left edges, as the words of most lines are. */
function isSortedByLeftEdge(words: readonly TextWord[]): boolean {
  for (let at = 1; at < words.length; at++) if (!(words[at - 1]!.x0 <= words[at]!.x0)) return false;
  return true;
}

/** Returns the words in the order of their left edges. Returns the same array if they are already in order. */
const sortByLeftEdge = (words: TextWord[]): TextWord[] =>
  isSortedByLeftEdge(words) ? words : words.toSorted((a, b) => a.x0 - b.x0);

/** Returns whether a text contains right-to-left letters, and at least as many of them as left-to-right ones. */
const runsFromRight = (text: string) =>
  text.search(RTL) >= 0 && countLetters(text, RTL) >= countLetters(text, LTR);

/** Returns words that run from right to left in reading order. `ordered` has them by their left edges. */
function readFromRight(ordered: readonly TextWord[]): TextWord[] {
  // Sequences of left-to-right words keep their own order.
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
  return [...result, ...run.toReversed()];
}

/** Returns whether one of two letters runs from right to left and the other one from left to right. */
const changesDirection = (before: string, after: string) =>
  (before >= FIRST_RTL && isRtlLetter(before) && isLtrLetter(after)) ||
  (after >= FIRST_RTL && isLtrLetter(before) && isRtlLetter(after));
const isRtlLetter = (letter: string) => letter.search(RTL) >= 0 && letter.search(LETTER) >= 0;
const isLtrLetter = (letter: string) => letter.search(LTR) >= 0;
const isCjk = (letter: string) => letter >= FIRST_CJK && CJK.test(letter);

/** Returns the text between two neighboring words of a line, which is a space or nothing. */
export function getSeparator(before: TextWord, after: TextWord): string {
  const gap = Math.max(after.x0 - before.x1, before.x0 - after.x1);
  const size = Math.max(before.size, after.size);
  if (gap > 0.12 * size && !(gap < size && isCjk(before.text.at(-1)!) && isCjk(after.text[0]!))) return ' ';
  // Words of two scripts are written apart, wherever the file draws the space between their directions.
  if (gap > -0.05 * size && changesDirection(before.text.at(-1)!, after.text[0]!)) return ' ';
  return after.spaced && gap > -0.05 * size && !isCjk(after.text[0]!) ? ' ' : '';
}

export function joinWords(words: readonly TextWord[]): string {
  let text = '';
  let before: TextWord | undefined;
  for (const word of words) {
    text += before ? getSeparator(before, word) + word.text : word.text;
    before = word;
  }
  return text.normalize('NFC');
}

/** Returns the font size of most letters. The larger one if two sizes have equally many. */
function findUsualSize(words: readonly TextWord[]): number {
  const first = roundSize(words[0]!.size);
  if (words.every((word) => roundSize(word.size) === first)) return first;
  const weights = new Map<number, number>();
  for (const word of words) {
    const size = roundSize(word.size);
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
  return size;
}
const roundSize = (size: number) => Math.round(size * 2) / 2;

/** Builds a line. The line may keep the array `words`, which the caller must not change afterwards. */
export function toLine(words: TextWord[], row: number): Line {
  const ordered = sortByLeftEdge(words);
  const fromLeft = joinWords(ordered);
  const rtl = runsFromRight(fromLeft);
  const read = rtl ? readFromRight(ordered) : ordered;
  const text = rtl ? joinWords(read) : fromLeft;
  const { x0, y0, x1, y1 } = union(read);
  return { x0, y0, x1, y1, words: read, size: findUsualSize(read), rtl, row, text };
}

/** Splits the lines of a page at gaps that are too wide for a space between words. */
export function splitIntoSegments(words: readonly TextWord[]): Line[] {
  const segments: Line[] = [];
  for (const [index, row] of groupIntoRows(words).entries()) {
    let current: TextWord[] = [];
    let right = -Infinity;
    for (const word of sortByLeftEdge(row.words)) {
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
  const rows = new Map<number, Line[]>();
  for (const segment of segments) {
    const row = rows.get(segment.row);
    if (row) row.push(segment);
    else rows.set(segment.row, [segment]);
  }
  return [...rows.values()].map(joinSegments).sort((a, b) => a.y1 - b.y1 || a.x0 - b.x0);
}

/** Joins the segments of one row. A row with one segment, as in most text, needs no other line than the segment. */
function joinSegments(row: readonly Line[]): Line {
  const [first] = row;
  if (row.length === 1 && !first!.rtl) return first!;
  return toLine(
    row.flatMap((segment) => segment.words),
    first!.row,
  );
}
