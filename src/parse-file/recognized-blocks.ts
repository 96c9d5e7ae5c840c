import type { Block } from '#src/documents/document.ts';
import { splitMarkdown } from '#src/documents/markdown/document-blocks.ts';
import { renderTable, type TableOptions } from '#src/documents/markdown/render-table.ts';
import type { Rect } from '#src/formats/pdf/geometry.ts';
import type { Table } from '#src/formats/pdf/tables/tables.ts';
import { findTablesInWords } from '#src/formats/pdf/tables/word-tables.ts';
import { renderRuns } from '#src/formats/shared/flow/runs.ts';
import { endsWithoutSpace, joinLines, joinWords, startsWithoutSpace } from '#src/ports/join-recognized.ts';
import type { RecognisedWord, Recognition } from '#src/ports/ocr.ts';

/** Usual letter height in points to which words are scaled, because the search for tables expects points. */
const USUAL_HEIGHT = 10;
/**
 * Minimum share of the words that must be in tables if weaker evidence for a table is accepted. The picture
 * then shows hardly anything but a table.
 */
const MIN_TABLE_SHARE = 0.85;
const MIN_COLUMNS = 3;
/**
 * Minimum share of a paragraph's words inside a table that touches it. Lines of two columns of text that stand at the
 * same height look like a row, but their paragraphs go on above or below. Shorter paragraphs may be captions.
 */
const MIN_PARAGRAPH_SHARE = 0.6;
const MIN_PROSE_WORDS = 10;

/** Returns the blocks of recognized text. Tables are found by the positions of words and by lines. */
export function toBlocks(recognition: Recognition, options: TableOptions = {}): Block[] {
  const { format, text, paragraphs } = recognition;
  if (format === 'markdown') return splitMarkdown(text);
  if (!paragraphs) return splitIntoParagraphs(text);
  const scale = USUAL_HEIGHT / measureUsualHeight(recognition.words);
  const tables = findTables(recognition, scale);
  if (tables.length === 0) return splitIntoParagraphs(text);
  const blocks: Block[] = [];
  const placed = new Set<Table>();
  for (const lines of paragraphs) {
    const rest: RecognisedWord[][] = [];
    const finish = () => {
      const joined = joinLines(rest.map((line) => joinWords(line.map((word) => word.text))));
      if (joined !== '') blocks.push(toParagraph(joined));
      rest.length = 0;
    };
    for (const line of lines) {
      const outside: RecognisedWord[] = [];
      for (const word of line) {
        const table = tables.find((each) => containsMiddle(each, word, scale));
        if (!table) outside.push(word);
        else if (!placed.has(table)) {
          placed.add(table);
          finish();
          blocks.push(toTableBlock(table, options));
        }
      }
      if (outside.length > 0) rest.push(outside);
    }
    finish();
  }
  return blocks;
}

function findTables({ words, paragraphs = [], rules = [] }: Recognition, scale: number): Table[] {
  const toRect = ({ x, y, w, h }: RecognisedWord['box']): Rect => ({
    x0: x * scale,
    y0: y * scale,
    x1: (x + w) * scale,
    y1: (y + h) * scale,
  });
  const usualHeight = USUAL_HEIGHT / scale;
  const boxed = paragraphs
    .flat()
    .flatMap((line) => joinWordsWithoutSpaces(line, usualHeight))
    .map(({ text, box }) => ({ text, ...toRect(box) }));
  const lines = rules.map(toRect);
  const dividesNone = (table: Table) =>
    paragraphs.every((paragraph) => {
      const all = paragraph.flat();
      const inside = all.filter((word) => containsMiddle(table, word, scale)).length;
      return inside === 0 || all.length < MIN_PROSE_WORDS || inside >= MIN_PARAGRAPH_SHARE * all.length;
    });
  const found = findTablesInWords(boxed, { rules: lines }).filter(dividesNone);
  if (found.length > 0) return found;
  const weaker = findTablesInWords(boxed, { rules: lines, aggressive: true });
  const columns = weaker.reduce((most, { rows }) => Math.max(most, rows[0]?.length ?? 0), 0);
  const inside = words.filter((word) => weaker.some((table) => containsMiddle(table, word, scale)));
  return columns >= MIN_COLUMNS && inside.length >= MIN_TABLE_SHARE * words.length ? weaker : [];
}

/** Maximum gap inside a Chinese or Japanese sentence, in letter heights. Punctuation and lost letters leave gaps. */
const MAX_INNER_GAP = 1.6;

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

function containsMiddle({ x0, y0, x1, y1 }: Rect, { box }: RecognisedWord, scale: number): boolean {
  const [x, y] = [(box.x + box.w / 2) * scale, (box.y + box.h / 2) * scale];
  return x >= x0 && x <= x1 && y >= y0 && y <= y1;
}

function measureUsualHeight(words: readonly RecognisedWord[]): number {
  const heights = words.map(({ box }) => box.h).sort((a, b) => a - b);
  return Math.max(1, heights[Math.floor(heights.length / 2)] ?? USUAL_HEIGHT);
}

const toTableBlock = ({ rows }: Table, options: TableOptions): Block => ({
  type: 'table',
  text: rows.map((row) => row.map((cell) => cell.replaceAll('\n', ' ')).join('\t')).join('\n'),
  markdown: renderTable(rows, options),
});

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
