import type { Block, Box, Page, Word } from '#src/documents/document.ts';
import { largest, smallest } from '#src/lib/extremes.ts';
import { type Token, tokensOf } from '#src/lib/text/words.ts';

/** A run of words on one line without a wide gap: what a reader sees as one piece. */
export interface Segment {
  text: string;
  tokens: Token[];
  box: Box;
  page: LayoutPage;
  /** Index of its line in the page, and of itself in the line. */
  line: number;
  index: number;
  /** Where each word starts in `text`; empty for pages without words. */
  words: { start: number; word: Word }[];
  /** Cells of a table that the parser found stay apart even where text would touch. */
  cell: boolean;
}

export interface Line {
  segments: Segment[];
  y: number;
  h: number;
}

export interface LayoutPage {
  /** 0-based, as in the document. */
  index: number;
  width: number;
  height: number;
  lines: Line[];
  /** Whether boxes are real places on paper. */
  measured: boolean;
}

// The page that formats without coordinates are laid out on: a typewriter's grid.
const CHARACTER = 6;
const ROW = 12;

/** Longer pieces are cut: no label or value is that long, and patterns stay quick on any input. */
const MOST_CHARACTERS = 400;
const pieceUpTo = (blanks: number) =>
  new RegExp(`\\S(?:(?:\\S| {1,${blanks}}(?=\\S)){0,${MOST_CHARACTERS - 2}}\\S)?`, 'g');
const PIECE = pieceUpTo(1);
const LOOSE_PIECE = pieceUpTo(2);

/** Pages as lines of segments, from word boxes, else from blocks, else from the text's own lines. */
export function layOut(pages: Page[]): LayoutPage[] {
  return pages.map((page) => {
    const layout: LayoutPage = {
      index: page.index,
      width: page.width,
      height: page.height,
      lines: [],
      measured: page.words.length > 0,
    };
    const rows = layout.measured ? rowsFromWords(page.words) : rowsFromText(page);
    for (const [line, row] of rows.entries()) {
      const segments = row.map((piece, index) => ({
        ...piece,
        tokens: tokensOf(piece.text),
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

function rowsFromWords(words: Word[]): Piece[][] {
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
  return rows.map((row) => pieces(row.words.sort((left, right) => left[1] - right[1])));
}

function pieces(row: Word[]): Piece[] {
  const height = median(row.map((word) => word[4]));
  const out: Piece[] = [];
  let current: Word[] = [];
  let right = Number.NEGATIVE_INFINITY;
  let characters = 0;
  for (const word of row) {
    const wide = word[1] - right > 0.65 * height;
    if (current.length > 0 && (wide || characters + word[0].length > MOST_CHARACTERS)) {
      out.push(piece(current));
      current = [];
      characters = 0;
    }
    current.push(
      word[0].length > MOST_CHARACTERS
        ? [word[0].slice(0, MOST_CHARACTERS), word[1], word[2], word[3], word[4]]
        : word,
    );
    characters += word[0].length + 1;
    right = Math.max(right, word[1] + word[3]);
  }
  if (current.length > 0) out.push(piece(current));
  return out;
}

function piece(words: Word[]): Piece {
  let text = '';
  const placed = words.map((word) => {
    if (text) text += ' ';
    const start = text.length;
    text += word[0];
    return { start, word };
  });
  return { text, box: hull(words), words: placed, cell: false };
}

function rowsFromText(page: Page): Piece[][] {
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
    const table = block.type === 'table' ? tableCells(block.markdown) : [];
    const widths = (table[0] ?? []).map((_, column) =>
      largest(table.map((row) => (row[column] ?? '').length)),
    );
    for (const row of table) {
      const cells: Piece[] = [];
      let column = 0;
      for (const [index, text] of row.entries()) {
        if (text) cells.push(grid(text.slice(0, MOST_CHARACTERS), column, true));
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
 * Whether two blanks stand inside a phrase as well. Recognised text is set by the width of a picture's letters: its
 * columns are far apart, and between its words there is one blank as often as two.
 */
function isLoose(text: string): boolean {
  const double = text.match(/(?<=\S) {2}(?=\S)/g)?.length ?? 0;
  const wide = text.match(/(?<=\S) {5}/g)?.length ?? 0;
  return wide > 1 && double > wide / 2;
}

/** The cells of a Markdown table, its rule left out. */
function tableCells(markdown: string): string[][] {
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

/** Some of a segment's text as a segment of its own. */
export function partOf(segment: Segment, from: number, length: number): Segment {
  const inside = ({ start }: { start: number }) => start >= from && start < from + length;
  const moved = <Item extends { start: number }>(item: Item) => ({ ...item, start: item.start - from });
  return {
    ...segment,
    text: segment.text.slice(from, from + length),
    words: segment.words.filter(inside).map(moved),
    tokens: segment.tokens.filter(inside).map((token) => ({ ...moved(token), end: token.end - from })),
  };
}

export function hull(words: Word[]): Box {
  const x = smallest(words.map((word) => word[1]));
  const y = smallest(words.map((word) => word[2]));
  const right = largest(words.map((word) => word[1] + word[3]));
  const bottom = largest(words.map((word) => word[2] + word[4]));
  return { x, y, w: right - x, h: bottom - y };
}

function median(values: number[]): number {
  const sorted = [...values].sort((left, right) => left - right);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

/** How much of the narrower of two boxes lies over the other, 0..1. */
export function overlapX(left: Box, right: Box): number {
  const shared = Math.min(left.x + left.w, right.x + right.w) - Math.max(left.x, right.x);
  return Math.max(0, shared) / Math.max(1e-6, Math.min(left.w, right.w));
}
