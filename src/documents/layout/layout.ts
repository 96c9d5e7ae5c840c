import type { Block, Box, Page, Word } from '#src/documents/document.ts';
import { largest } from '#src/lib/extremes.ts';
import { Canvas } from './canvas.ts';
import { type Face, type Glyph, toGlyphs } from './fonts.ts';

const SPACE = 0x20;

export const measureWidth = (glyphs: readonly Glyph[], size: number) =>
  (glyphs.reduce((sum, glyph) => sum + glyph.width, 0) / 1000) * size;

const MARGIN = 54;
const BODY = 10.5;
const CODE = 9;
const TABLE = 9;
const LEADING = 1.35;
const HEADINGS = [20, 17, 14.5, 12.5, 11.5, 11];
const CELL_PADDING = 3;
const FIGURE_HEIGHT = 96;

/**
 * Maximum height of a laid-out page, as a multiple of the original page height. Text beyond it is left out.
 */
const MAX_SHEETS = 3;
/**
 * Maximum number of characters that are drawn of one block. This is more than fits on a page of maximum
 * height.
 */
const MAX_CHARACTERS = 24_000;
const MAX_COLUMNS = 40;

/** Block of text that was drawn, with its words in text order and its bounding box. */
export interface DrawnBlock {
  words: Word[];
  box: Box;
}

/**
 * Lays out the blocks of a page below one another, for formats without a fixed layout. The page's picture
 * shows this layout, so that text can be located in the picture.
 */
export function layOut(page: Pick<Page, 'width' | 'height' | 'blocks'>): Layout {
  const sheet = Math.max(page.height, 100);
  const layout = new Layout(Math.max(page.width, 200), sheet);
  for (const block of page.blocks) if (!layout.add(block)) break;
  return layout;
}

export class Layout {
  readonly canvas: Canvas;
  /** Drawn blocks, in the order of the page's blocks. Blocks that no longer fit on the page are missing. */
  readonly blocks: DrawnBlock[] = [];
  /** Page width in points. */
  readonly width: number;
  readonly #sheet: number;
  readonly #width: number;
  readonly #end: number;
  #y = MARGIN;
  #words: Word[] = [];
  isFull = false;
  /** True if some content did not fit into the width or height of the page and was left out. */
  isTruncated = false;

  constructor(width: number, sheet: number) {
    this.canvas = new Canvas(width, sheet * MAX_SHEETS);
    this.width = width;
    this.#sheet = sheet;
    this.#width = width - 2 * MARGIN;
    this.#end = sheet * MAX_SHEETS - MARGIN;
  }

  /** Page height in points with the bottom margin. It is never smaller than the original page height. */
  get height(): number {
    return Math.max(this.#sheet, Math.min(this.#y, this.#end) + MARGIN);
  }

  /** Draws a block below the previous blocks. Returns false if the page is full. */
  add(block: Block): boolean {
    const top = this.#y;
    this.#words = [];
    const text = block.text.slice(0, MAX_CHARACTERS);
    if (block.text.length > MAX_CHARACTERS) this.isTruncated = true;
    if (block.type === 'heading') {
      const size = HEADINGS[(block.level ?? 1) - 1] ?? BODY;
      this.#y += size * 0.4;
      this.#lines(text, 'bold', size, 0);
    } else if (block.type === 'table') this.#table(text);
    else if (block.type === 'figure') this.#figure(block);
    else if (block.type === 'code') this.#lines(text, 'mono', CODE, 12);
    else this.#lines(text, 'regular', BODY, block.type === 'list' ? 12 : 0);
    this.blocks.push({ words: this.#words, box: { x: MARGIN, y: top, w: this.#width, h: this.#y - top } });
    this.#y += BODY * 0.7;
    return !this.isFull;
  }

  #lines(text: string, face: Face, size: number, indent: number): void {
    for (const line of wrapText(text, face, size, this.#width - indent)) {
      if (!this.#reserveHeight(size * LEADING)) return;
      this.#y += size * LEADING;
      this.#write(line, MARGIN + indent, this.#y, face, size);
    }
  }

  /** Draws a line of text. `y` is the position of its baseline. */
  #write(line: readonly Glyph[], x: number, y: number, face: Face, size: number): void {
    this.canvas.text(line, x, y, face, size);
    for (const each of iterateWords(line, x, y, size)) this.#words.push(each);
  }

  #reserveHeight(height: number): boolean {
    if (this.#y + height > this.#end) this.isFull = this.isTruncated = true;
    return !this.isFull;
  }

  #figure({ text, markdown }: Block): void {
    if (!this.#reserveHeight(FIGURE_HEIGHT)) return;
    const name = text || /\(([^()]*)\)/.exec(markdown)?.[1] || '';
    this.canvas.frame(MARGIN, this.#y, this.#width, FIGURE_HEIGHT);
    const [line = []] = wrapText(`Figure ${name}`, 'regular', CODE, this.#width - 16);
    this.canvas.text(line, MARGIN + 8, this.#y + FIGURE_HEIGHT / 2, 'regular', CODE);
    this.#y += FIGURE_HEIGHT;
  }

  /**
   * Draws a table from text. Each line is a row with cells separated by tabs, and the first line is the
   * header row.
   */
  #table(text: string): void {
    const rows = text.split('\n').map((row) => row.split('\t'));
    if (rows.some((row) => row.length > MAX_COLUMNS)) this.isTruncated = true;
    const widths = columnWidths(rows, this.#width);
    for (const [index, row] of rows.entries()) {
      const face = index === 0 ? 'bold' : 'regular';
      const cells = widths.map((width, column) => [
        ...wrapText(row[column] ?? '', face, TABLE, Math.max(TABLE, width - 2 * CELL_PADDING)),
      ]);
      const lines = largest(cells.map((cell) => cell.length));
      const height = lines * TABLE * LEADING + 2 * CELL_PADDING;
      if (!this.#reserveHeight(height)) return;
      let x = MARGIN;
      for (const [column, cell] of cells.entries()) {
        this.canvas.frame(x, this.#y, widths[column]!, height);
        for (const [at, line] of cell.entries()) {
          const y = this.#y + CELL_PADDING + (at + 0.8) * TABLE * LEADING;
          this.#write(line, x + CELL_PADDING, y, face, TABLE);
        }
        x += widths[column]!;
      }
      this.#y += height;
    }
  }
}

const ROWS_MEASURED = 100;

/**
 * Distributes the available width among the columns in proportion to their content. Each column has space for
 * at least a few characters.
 */
function columnWidths(rows: readonly string[][], available: number): number[] {
  const count = Math.min(
    MAX_COLUMNS,
    rows.reduce((most, row) => Math.max(most, row.length), 0),
  );
  const wanted = Array.from({ length: count }, (_, column) => {
    const needs = rows
      .slice(0, ROWS_MEASURED)
      .map((row) => measureWidth(toGlyphs((row[column] ?? '').slice(0, 200), 'bold'), TABLE));
    return Math.min(available / 2, largest(needs, 12) + 2 * CELL_PADDING + 1);
  });
  const total = wanted.reduce((sum, width) => sum + width, 0);
  return total <= available ? wanted : wanted.map((width) => (width / total) * available);
}

/**
 * Height of letters above the baseline, as a share of the font size. `DESCENT` is the height below the
 * baseline.
 */
const ASCENT = 0.8;
const DESCENT = 0.25;

function* iterateWords(line: readonly Glyph[], x: number, y: number, size: number): Generator<Word> {
  let [at, start, text] = [x, x, ''];
  for (const { character, width } of [...line, { character: ' ', width: 0 }]) {
    if (character === ' ') {
      if (text !== '') yield [text, start, y - ASCENT * size, at - start, (ASCENT + DESCENT) * size];
      text = '';
    } else {
      if (text === '') start = at;
      text += character;
    }
    at += (width / 1000) * size;
  }
}

/**
 * Breaks text into lines of at most `width` points. Lines break at spaces, and inside words that are too
 * long.
 */
export function* wrapText(text: string, face: Face, size: number, width: number): Generator<Glyph[]> {
  const limit = (width / size) * 1000;
  for (const source of text.split('\n')) {
    let line: Glyph[] = [];
    let used = 0;
    let breakAt = -1;
    for (const glyph of toGlyphs(source, face)) {
      if (used + glyph.width > limit && line.length > 0) {
        // Scripts without spaces, such as Chinese, may break between any two characters.
        const cut = glyph.code === SPACE || breakAt < 0 ? line.length : breakAt;
        yield line.slice(0, cut);
        line = line.slice(cut);
        used = line.reduce((sum, each) => sum + each.width, 0);
        breakAt = -1;
        if (glyph.code === SPACE && line.length === 0) continue;
      }
      line.push(glyph);
      used += glyph.width;
      if (glyph.code === SPACE) breakAt = line.length;
    }
    yield line;
  }
}
