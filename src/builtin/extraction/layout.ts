import type { Block, Box, Page, Word } from '#src/documents/document.ts';
import { largest, smallest } from '#src/lib/extremes.ts';
import { type Token, tokenize } from '#src/lib/text/words.ts';

/** Sequence of words on one line without a wide gap, which a reader sees as a unit. */
export interface Segment {
  text: string;
  tokens: Token[];
  box: Box;
  page: LayoutPage;
  /** Index of the segment's line in the page, and of the segment in its line. */
  line: number;
  index: number;
  /** Offset of each word in `text`. Empty for pages without word boxes. */
  words: { start: number; word: Word }[];
  /** True if the segment is a cell of a table that the parser found. Cells are never joined. */
  cell: boolean;
}

export interface Line {
  segments: Segment[];
  y: number;
  h: number;
}

export interface LayoutPage {
  /** Index of the page in the document, from 0. */
  index: number;
  width: number;
  height: number;
  lines: Line[];
  /** True if the boxes are measured positions on the page. */
  measured: boolean;
}

// Width and height of one character in a grid. Text of formats without coordinates is laid out on this grid.
const CHARACTER = 6;
const ROW = 12;

/**
 * Maximum length of a segment in characters. Labels and values are shorter, and the limit keeps patterns fast
 * on any input.
 */
const MAX_SEGMENT_LENGTH = 400;
const buildPiecePattern = (blanks: number) =>
  new RegExp(`\\S(?:(?:\\S| {1,${blanks}}(?=\\S)){0,${MAX_SEGMENT_LENGTH - 2}}\\S)?`, 'g');
const PIECE = buildPiecePattern(1);
const LOOSE_PIECE = buildPiecePattern(2);

/**
 * Converts pages to lines of segments, from word boxes if there are any, otherwise from blocks, otherwise
 * from the lines of the text.
 */
export function layOutPages(pages: Page[]): LayoutPage[] {
  return pages.map((page) => {
    const layout: LayoutPage = {
      index: page.index,
      width: page.width,
      height: page.height,
      lines: [],
      measured: page.words.length > 0,
    };
    const rows = layout.measured
      ? buildRowsFromWords(page.words, page.ocr !== undefined)
      : buildRowsFromText(page);
    for (const [line, row] of rows.entries()) {
      const segments = row.map((piece, index) => ({
        ...piece,
        tokens: tokenize(piece.text),
        page: layout,
        line,
        index,
      }));
      const y = smallest(segments.map((segment) => segment.box.y));
      const bottom = largest(segments.map((segment) => segment.box.y + segment.box.h));
      layout.lines.push({ segments, y, h: bottom - y });
    }
    return layout;
  });
}

type Piece = Pick<Segment, 'text' | 'box' | 'words' | 'cell'>;

function buildRowsFromWords(words: Word[], isRecognized: boolean): Piece[][] {
  const rows: { words: Word[]; top: number; bottom: number }[] = [];
  const inOrder = words.filter((word) => word[0].trim() !== '' && word[4] > 0);
  inOrder.sort((left, right) => left[2] + left[4] / 2 - (right[2] + right[4] / 2) || left[1] - right[1]);
  for (const word of inOrder) {
    const [, , y, , h] = word;
    const row = rows.slice(-4).findLast((candidate) => {
      const overlap = Math.min(candidate.bottom, y + h) - Math.max(candidate.top, y);
      return overlap > 0.55 * Math.min(h, candidate.bottom - candidate.top);
    });
    if (row) row.words.push(word);
    else rows.push({ words: [word], top: y, bottom: y + h });
  }
  return rows.map((row) =>
    splitIntoPieces(
      row.words.sort((left, right) => left[1] - right[1]),
      isRecognized,
    ),
  );
}

/** Width of a gap that separates two texts, as a share of the height of a line or of the width of a letter. */
const GAP_BY_HEIGHT = 0.65;
const GAP_BY_LETTER = 1.6;

/**
 * Factor of a gap beside a comma, full stop or bracket. In the fonts of tills, these marks fill only a part of
 * their cell.
 */
const GAP_AT_MARK = 1.8;

/**
 * Splits a line at wide gaps. Boxes of recognized words enclose only the ink and till fonts are wide, so the
 * letters of recognized words are measured as well.
 */
function splitIntoPieces(row: Word[], isRecognized: boolean): Piece[] {
  const height = computeMedian(row.map((word) => word[4]));
  const letter = isRecognized ? computeMedian(row.map((word) => word[3] / word[0].length)) : 0;
  const gap = Math.max(GAP_BY_HEIGHT * height, GAP_BY_LETTER * letter);
  const out: Piece[] = [];
  let current: Word[] = [];
  let right = Number.NEGATIVE_INFINITY;
  let characters = 0;
  for (const word of row) {
    const isMarked = isRecognized && (/[.,]$/.test(current.at(-1)?.[0] ?? '') || word[0].startsWith('('));
    const wide = word[1] - right > gap * (isMarked ? GAP_AT_MARK : 1);
    if (current.length > 0 && (wide || characters + word[0].length > MAX_SEGMENT_LENGTH)) {
      out.push(buildPiece(current));
      current = [];
      characters = 0;
    }
    current.push(
      word[0].length > MAX_SEGMENT_LENGTH
        ? [word[0].slice(0, MAX_SEGMENT_LENGTH), word[1], word[2], word[3], word[4]]
        : word,
    );
    characters += word[0].length + 1;
    right = Math.max(right, word[1] + word[3]);
  }
  if (current.length > 0) out.push(buildPiece(current));
  return out;
}

function buildPiece(words: Word[]): Piece {
  let text = '';
  const placed = words.map((word) => {
    if (text) text += ' ';
    const start = text.length;
    text += word[0];
    return { start, word };
  });
  return { text, box: getBoundingBox(words), words: placed, cell: false };
}

function buildRowsFromText(page: Page): Piece[][] {
  const rows: Piece[][] = [];
  const pattern = isLoose(page.text) ? LOOSE_PIECE : PIECE;
  const blocks: Pick<Block, 'type' | 'text' | 'markdown'>[] = page.blocks.length
    ? page.blocks
    : [{ type: 'paragraph', text: page.text, markdown: page.markdown }];
  const grid = (text: string, column: number, cell: boolean): Piece => ({
    text,
    box: { x: column * CHARACTER, y: rows.length * ROW, w: text.length * CHARACTER, h: ROW * 0.8 },
    words: [],
    cell,
  });
  for (const block of blocks) {
    const table = block.type === 'table' ? parseTableCells(block.markdown) : [];
    const widths = (table[0] ?? []).map((_, column) =>
      largest(table.map((row) => (row[column] ?? '').length)),
    );
    for (const row of table) {
      const cells: Piece[] = [];
      let column = 0;
      for (const [index, text] of row.entries()) {
        if (text) cells.push(grid(text.slice(0, MAX_SEGMENT_LENGTH), column, true));
        column += (widths[index] ?? 0) + 4;
      }
      if (cells.length > 0) rows.push(cells);
    }
    if (table.length > 0) continue;
    for (const line of block.text.split('\n')) {
      const parts = [...line.matchAll(pattern)].filter((part) => part[0] !== '|');
      if (parts.length > 0)
        rows.push(parts.map((part) => grid(part[0].replace(/ {2}/g, ' '), part.index, false)));
    }
  }
  return rows;
}

/**
 * Returns whether words of the text may be separated by two blanks. In OCR text, one or two blanks separate
 * words, and many blanks separate columns.
 */
function isLoose(text: string): boolean {
  const double = text.match(/(?<=\S) {2}(?=\S)/g)?.length ?? 0;
  const wide = text.match(/(?<=\S) {5}/g)?.length ?? 0;
  return wide > 1 && double > wide / 2;
}

/** Returns the cells of a Markdown table without its separator row. */
function parseTableCells(markdown: string): string[][] {
  return markdown
    .split('\n')
    .filter((line) => line.trim().startsWith('|') && !/^[\s|:-]+$/.test(line))
    .map((line) =>
      line
        .trim()
        .replace(/^\||\|$/g, '')
        .split(/(?<!\\)\|/)
        .map((cell) => cell.replace(/\\\|/g, '|').replace(/<br>/g, ' ').trim()),
    );
}

/** Returns a part of a segment's text as a separate segment. */
export function sliceSegment(segment: Segment, from: number, length: number): Segment {
  const inside = ({ start }: { start: number }) => start >= from && start < from + length;
  const moved = <Item extends { start: number }>(item: Item) => ({ ...item, start: item.start - from });
  return {
    ...segment,
    text: segment.text.slice(from, from + length),
    words: segment.words.filter(inside).map(moved),
    tokens: segment.tokens.filter(inside).map((token) => ({ ...moved(token), end: token.end - from })),
  };
}

export function getBoundingBox(words: Word[]): Box {
  const x = smallest(words.map((word) => word[1]));
  const y = smallest(words.map((word) => word[2]));
  const right = largest(words.map((word) => word[1] + word[3]));
  const bottom = largest(words.map((word) => word[2] + word[4]));
  return { x, y, w: right - x, h: bottom - y };
}

function computeMedian(values: number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** Returns the horizontal overlap of two boxes as a share of the narrower one, from 0 to 1. */
export function getHorizontalOverlap(left: Box, right: Box): number {
  const shared = Math.min(left.x + left.w, right.x + right.w) - Math.max(left.x, right.x);
  return Math.max(0, shared) / Math.max(1e-6, Math.min(left.w, right.w));
}
