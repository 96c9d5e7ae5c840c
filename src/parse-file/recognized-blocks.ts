import type { Block } from '#src/documents/document.ts';
import { splitMarkdown } from '#src/documents/markdown/document-blocks.ts';
import type { TableOptions } from '#src/documents/markdown/render-table.ts';
import { containsCenter, type Rect } from '#src/formats/pdf/geometry.ts';
import type { Table } from '#src/formats/pdf/tables/tables.ts';
import { type BoxedWord, findTablesInWords } from '#src/formats/pdf/tables/word-tables.ts';
import { toBlock } from '#src/formats/pdf/text/blocks.ts';
import {
  alignLine,
  layOutRecognized,
  measureLineHeight,
  USUAL_HEIGHT,
} from '#src/formats/pdf/text/recognized-layout.ts';
import { renderRuns } from '#src/formats/shared/flow/runs.ts';
import { measureWidth } from '#src/lib/text/measure-width.ts';
import { endsWithoutSpace, joinWords, startsWithoutSpace } from '#src/ports/join-recognized.ts';
import type { RecognisedWord, Recognition } from '#src/ports/ocr.ts';
import { closeOpenSides } from './open-sides.ts';

/**
 * Minimum share of the words that must be in tables if weaker evidence for a table is accepted. The picture
 * then shows hardly anything but a table.
 */
const MIN_TABLE_SHARE = 0.85;
const MIN_COLUMNS = 3;
/**
 * Minimum share of a paragraph's letters inside a table that touches it. Lines of two columns of text that stand at the
 * same height look like a row, but their paragraphs go on above or below. Shorter paragraphs may be captions.
 */
const MIN_PARAGRAPH_SHARE = 0.8;
const MIN_PROSE_LETTERS = 60;

/**
 * Returns the blocks of recognized text in reading order. Columns and tables are found by the positions of words and
 * by lines.
 */
export function toBlocks(recognition: Recognition, options: TableOptions = {}): Block[] {
  const { format, text, paragraphs } = recognition;
  if (format === 'markdown') return splitMarkdown(text);
  if (!paragraphs) return splitIntoParagraphs(text);
  const scale = USUAL_HEIGHT / measureUsualHeight(paragraphs.flat());
  const toRect = ({ x, y, w, h }: RecognisedWord['box']): Rect => ({
    x0: x * scale,
    y0: y * scale,
    x1: (x + w) * scale,
    y1: (y + h) * scale,
  });
  const align = (line: readonly RecognisedWord[]) =>
    alignLine(
      joinWordsWithoutSpaces(line, USUAL_HEIGHT / scale).map(({ text, box }) => ({ text, ...toRect(box) })),
    );
  const placed = paragraphs.map((lines) => lines.map(align));
  const rules = closeOpenSides((recognition.rules ?? []).map(toRect));
  const words = placed.map((lines) => lines.flat());
  const isTable = (table: Table) =>
    !isColumnsOfProse(table) && !words.some((paragraph) => dividesParagraph(table, paragraph));
  const tables = findTables(words, rules, isTable);
  const page = { lines: placed.flat(), rules, tables, isTable, options };
  return layOutRecognized(page).map((draft) => toBlock(draft, {}));
}

/**
 * Finds the tables among the words of paragraphs. If something like a table contains only a part of a paragraph, the
 * search is repeated without this paragraph, because a table may stand directly above or below it.
 */
function findTables(
  paragraphs: readonly (readonly BoxedWord[])[],
  rules: readonly Rect[],
  isTable: (table: Table) => boolean,
): Table[] {
  const words = paragraphs.flat();
  const drawn = findTablesInWords(words, { rules, drawnOnly: true }).filter(
    (table) => !isColumnsOfProse(table),
  );
  const isFree = (word: BoxedWord) => !drawn.some((table) => containsCenter(table, word));
  const free = paragraphs.map((some) => some.filter(isFree)).filter((some) => some.length > 0);
  const found = findTablesInWords(free.flat(), { rules });
  const isDivided = (some: readonly BoxedWord[]) => found.some((table) => dividesParagraph(table, some));
  const whole = free.filter((some) => !isDivided(some));
  const aside = whole.length < free.length ? free.filter(isDivided).flat() : [];
  const again = whole.length < free.length ? findTablesInWords(whole.flat(), { rules }) : found;
  // The cells of a table that was found without these words would lack them.
  const lacksWords = (table: Table) => aside.some((word) => containsCenter(table, word));
  const tables = [...drawn, ...again.filter((table) => isTable(table) && !lacksWords(table))];
  if (tables.length > 0) return tables;
  const weaker = findTablesInWords(words, { rules, aggressive: true });
  const columns = weaker.reduce((most, { rows }) => Math.max(most, rows[0]?.length ?? 0), 0);
  const inside = words.filter((word) => weaker.some((table) => containsCenter(table, word)));
  const isMost = columns >= MIN_COLUMNS && inside.length >= MIN_TABLE_SHARE * words.length;
  return isMost && !weaker.some(isColumnsOfProse) ? weaker : [];
}

/** Returns whether a table contains some words of a long paragraph and lacks many others. */
function dividesParagraph(table: Table, words: readonly BoxedWord[]): boolean {
  const measure = (some: readonly BoxedWord[]) => sum(some.map(({ text }) => measureWidth(text)));
  const all = measure(words);
  const inside = measure(words.filter((word) => containsCenter(table, word)));
  return inside > 0 && all >= MIN_PROSE_LETTERS && inside < MIN_PARAGRAPH_SHARE * all;
}

/** Minimum number of rows that may be lines of prose. */
const MIN_PROSE_ROWS = 5;
/** Minimum length of a usual line of prose. A Chinese letter is as wide as two Latin letters. */
const MIN_PROSE_LENGTH = 24;
/** Minimum share of the letters of a column of prose that are in full lines. */
const MIN_FULL_LINES = 0.6;
/** Minimum length of a full line as a share of a long one, which nine of ten lines do not exceed. */
const [FULL_LENGTH, LONG_LINES] = [0.75, 0.9];

/**
 * Returns whether two columns or more of a table consist of lines of nearly equal length, as columns of prose do.
 * The texts of table cells differ in length.
 */
export function isColumnsOfProse({ rows }: Table): boolean {
  const columns = rows[0]?.length ?? 0;
  let prose = 0;
  for (let column = 0; column < columns; column++) {
    const lengths = rows.flatMap((row) => (row[column] ?? '').split('\n').map(measureWidth));
    lengths.sort((a, b) => a - b);
    const usual = lengths[Math.floor(lengths.length * LONG_LINES)] ?? 0;
    const full = lengths.filter((length) => length >= Math.max(MIN_PROSE_LENGTH, FULL_LENGTH * usual));
    if (full.length >= MIN_PROSE_ROWS && sum(full) >= MIN_FULL_LINES * sum(lengths)) prose++;
  }
  return prose >= 2;
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

/** Maximum gap inside a Chinese or Japanese sentence, in letter heights. Punctuation and lost letters leave gaps. */
const MAX_INNER_GAP = 2;

/**
 * Joins neighbouring words of a line in scripts without spaces. The OCR engine divides their sentences at any
 * letter, so the gaps between such words do not separate columns.
 */
function joinWordsWithoutSpaces(line: readonly RecognisedWord[], usualHeight: number): RecognisedWord[] {
  const joined: RecognisedWord[] = [];
  let before = '';
  for (const word of line) {
    const last = joined.at(-1);
    const gap = last ? word.box.x - last.box.x - last.box.w : 0;
    const isWithoutSpace = endsWithoutSpace(before) || startsWithoutSpace(word.text);
    before = word.text;
    if (!last || !isWithoutSpace || gap < 0 || gap > MAX_INNER_GAP * usualHeight) {
      joined.push(word);
      continue;
    }
    const top = Math.min(last.box.y, word.box.y);
    const bottom = Math.max(last.box.y + last.box.h, word.box.y + word.box.h);
    const box = { x: last.box.x, y: top, w: word.box.x + word.box.w - last.box.x, h: bottom - top };
    joined[joined.length - 1] = { text: joinWords([last.text, word.text]), box };
  }
  return joined;
}

/** Returns the height of the line in whose range of heights the middle letter of the page falls. */
function measureUsualHeight(lines: readonly (readonly RecognisedWord[])[]): number {
  const heights = lines
    .map((line) => ({
      height: measureLineHeight(line.map(({ box }) => box.h)),
      letters: sum(line.map(({ text }) => text.length)),
    }))
    .sort((a, b) => a.height - b.height);
  let left = sum(heights.map(({ letters }) => letters)) / 2;
  const middle = heights.find(({ letters }) => {
    left -= letters;
    return left <= 0;
  });
  return Math.max(1, middle?.height ?? USUAL_HEIGHT);
}

const toParagraph = (text: string): Block => ({
  type: 'paragraph',
  ...renderRuns([{ text }], { links: false }),
});

function splitIntoParagraphs(text: string): Block[] {
  return text
    .split(/\n{2,}/)
    .filter((paragraph) => paragraph.trim() !== '')
    .map(toParagraph);
}
