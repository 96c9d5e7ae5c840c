import type { Block, EncodedImage, Page } from '#src/parsing/document.ts';
import { Canvas } from './draw/canvas.ts';
import { type Face, glyphsOf } from './draw/fonts.ts';
import { widthOf, wrap } from './draw/lines.ts';
import { renderPage } from './render.ts';
import { PdfSession } from './session.ts';

const MARGIN = 54;
const BODY = 10.5;
const CODE = 9;
const TABLE = 9;
const LEADING = 1.35;
const HEADINGS = [20, 17, 14.5, 12.5, 11.5, 11];
const CELL_PADDING = 3;
const FIGURE_HEIGHT = 96;

/** A page without a fixed height grows with its text up to this many sheets; the rest is left out. */
const MAX_SHEETS = 3;
/** More than MAX_SHEETS can show. */
const MAX_CHARACTERS = 24_000;
const MAX_COLUMNS = 40;

export interface DrawnPage {
  image: EncodedImage;
  /** Characters without a glyph in the core fonts (scripts other than Latin), drawn as empty boxes. */
  missingGlyphs: number;
  /** The page had more text than a picture can show. */
  truncated: boolean;
}

/**
 * Draws a page of a format that has no appearance of its own: its blocks are laid out one below the other.
 * The picture shows what was read, not what an office program would print; figures are frames with names.
 */
export async function drawPage(page: Page, dpi = 150): Promise<DrawnPage> {
  const sheet = Math.max(page.height, 100);
  const layout = new Layout(Math.max(page.width, 200), sheet * MAX_SHEETS);
  for (const block of page.blocks) if (!layout.add(block)) break;
  const session = new PdfSession(layout.canvas.toPdf(Math.max(sheet, layout.bottom)), 'drawing');
  try {
    const image = await renderPage(session, 0, dpi);
    return { image, missingGlyphs: layout.canvas.missingGlyphs, truncated: layout.isCut };
  } finally {
    session.close();
  }
}

class Layout {
  readonly canvas: Canvas;
  readonly #width: number;
  readonly #end: number;
  #y = MARGIN;
  isFull = false;
  /** Something was left out: below the end, or columns to the right. */
  isCut = false;

  constructor(width: number, height: number) {
    this.canvas = new Canvas(width, height);
    this.#width = width - 2 * MARGIN;
    this.#end = height - MARGIN;
  }

  /** Height of the page so far, with its lower margin. */
  get bottom(): number {
    return Math.min(this.#y, this.#end) + MARGIN;
  }

  /** False once the page is full. */
  add(block: Block): boolean {
    const text = block.text.slice(0, MAX_CHARACTERS);
    if (block.text.length > MAX_CHARACTERS) this.isCut = true;
    if (block.type === 'heading') {
      const size = HEADINGS[(block.level ?? 1) - 1] ?? BODY;
      this.#y += size * 0.4;
      this.#lines(text, 'bold', size, 0);
    } else if (block.type === 'table') this.#table(text);
    else if (block.type === 'figure') this.#figure(block);
    else if (block.type === 'code') this.#lines(text, 'mono', CODE, 12);
    else this.#lines(text, 'regular', BODY, block.type === 'list' ? 12 : 0);
    this.#y += BODY * 0.7;
    return !this.isFull;
  }

  #lines(text: string, face: Face, size: number, indent: number): void {
    for (const line of wrap(text, face, size, this.#width - indent)) {
      if (!this.#room(size * LEADING)) return;
      this.#y += size * LEADING;
      this.canvas.text(line, MARGIN + indent, this.#y, face, size);
    }
  }

  #room(height: number): boolean {
    if (this.#y + height > this.#end) this.isFull = this.isCut = true;
    return !this.isFull;
  }

  #figure({ text, markdown }: Block): void {
    if (!this.#room(FIGURE_HEIGHT)) return;
    const name = text || /\(([^()]*)\)/.exec(markdown)?.[1] || '';
    this.canvas.frame(MARGIN, this.#y, this.#width, FIGURE_HEIGHT);
    const [line = []] = wrap(`Figure ${name}`, 'regular', CODE, this.#width - 16);
    this.canvas.text(line, MARGIN + 8, this.#y + FIGURE_HEIGHT / 2, 'regular', CODE);
    this.#y += FIGURE_HEIGHT;
  }

  /** Rows are lines, cells are separated by tabs, the first row is the header. */
  #table(text: string): void {
    const rows = text.split('\n').map((row) => row.split('\t'));
    if (rows.some((row) => row.length > MAX_COLUMNS)) this.isCut = true;
    const widths = columnWidths(rows, this.#width);
    for (const [index, row] of rows.entries()) {
      const face = index === 0 ? 'bold' : 'regular';
      const cells = widths.map((width, column) => [
        ...wrap(row[column] ?? '', face, TABLE, Math.max(TABLE, width - 2 * CELL_PADDING)),
      ]);
      const lines = Math.max(...cells.map((cell) => cell.length));
      const height = lines * TABLE * LEADING + 2 * CELL_PADDING;
      if (!this.#room(height)) return;
      let x = MARGIN;
      for (const [column, cell] of cells.entries()) {
        this.canvas.frame(x, this.#y, widths[column]!, height);
        for (const [at, line] of cell.entries()) {
          const y = this.#y + CELL_PADDING + (at + 0.8) * TABLE * LEADING;
          this.canvas.text(line, x + CELL_PADDING, y, face, TABLE);
        }
        x += widths[column]!;
      }
      this.#y += height;
    }
  }
}

const ROWS_MEASURED = 100;

/** Columns share the page by what their cells need; none gets less than a few characters' worth. */
function columnWidths(rows: readonly string[][], available: number): number[] {
  const count = Math.min(
    MAX_COLUMNS,
    rows.reduce((most, row) => Math.max(most, row.length), 0),
  );
  const wanted = Array.from({ length: count }, (_, column) => {
    const needs = rows
      .slice(0, ROWS_MEASURED)
      .map((row) => widthOf(glyphsOf((row[column] ?? '').slice(0, 200), 'bold'), TABLE));
    return Math.min(available / 2, Math.max(12, ...needs) + 2 * CELL_PADDING + 1);
  });
  const total = wanted.reduce((sum, width) => sum + width, 0);
  return total <= available ? wanted : wanted.map((width) => (width / total) * available);
}
