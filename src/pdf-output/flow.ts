import type { Block } from '#src/documents/document.ts';
import { ParseError } from '#src/documents/errors.ts';
import type { Face } from './font-programs.ts';
import type { Fonts } from './fonts.ts';
import { breakLines, type Line, measureLine } from './lines.ts';
import { Sheet, type Size } from './sheet.ts';

const SIZE = 9;

const LINE = SIZE * 1.35;

const PADDING = 3;

const MIN_COLUMN = 12;

const ROWS_MEASURED = 100;

const CHARACTERS_MEASURED = 200;

const HEADER_GREY = 0.94;

/** A table row to draw. A row that is higher than a page is drawn in several pieces. */
interface TableRow {
  readonly isDone: boolean;
  /** Height in points of the part of the row that has not been drawn yet. */
  readonly height: number;
  fits(height: number): boolean;
  /**
   * Draws at least one line of the row, and as many as fit into `height`. Returns the height in points that
   * was used.
   */
  draw(sheet: Sheet, left: number, top: number, height: number): number;
}

export const MARGIN = 54;
const BODY = 10.5;
const CODE = 9;
const LEADING = 1.35;
const HEADINGS = [20, 17, 14.5, 12.5, 11.5, 11];
const FIGURE_HEIGHT = 96;
const POINTS_PER_PIXEL = 72 / 96;
/** Maximum width and height of a page in points. All PDF readers support pages up to this size. */
const MAX_SIDE = 14_400;
const MIN_SIDE = 200;
const MIN_COLUMN_WIDTH = 24;
/**
 * Maximum number of table columns, which is also the limit of spreadsheet programs. Even the widest page has
 * room for far fewer legible columns.
 */
const MAX_COLUMNS = 16_384;

/** A picture whose data has already been written to the PDF. */
export interface PlacedImage {
  name: string;
  width: number;
  height: number;
  orientation: number | undefined;
}

/** Typesets blocks one below another on as many pages as necessary. Yields each page when it is full. */
export class Flow {
  readonly #fonts: Fonts;
  readonly #size: Size;
  #sheet: Sheet;
  #y = MARGIN;

  constructor(fonts: Fonts, page: Size, blocks: readonly Block[]) {
    this.#fonts = fonts;
    this.#size = computeSheetSize(page, blocks);
    this.#sheet = new Sheet(this.#size);
  }

  /** The current page, which is not full yet. */
  get last(): Sheet {
    return this.#sheet;
  }

  get #width(): number {
    return this.#size.width - 2 * MARGIN;
  }

  get #end(): number {
    return this.#size.height - MARGIN;
  }

  *add(block: Block, image: PlacedImage | undefined): Generator<Sheet> {
    const { type, text, level } = block;
    if (type === 'heading') {
      const size = HEADINGS[(level ?? 1) - 1] ?? BODY;
      this.#y += size * 0.4;
      yield* this.#lines(text, 'bold', size, 0);
    } else if (type === 'table') yield* this.#table(text);
    else if (type === 'figure') yield* this.#figure(block, image);
    else if (type === 'code') yield* this.#lines(text, 'mono', CODE, 12);
    else yield* this.#lines(text, 'regular', BODY, type === 'list' ? 12 : 0);
    this.#y += BODY * 0.7;
  }

  *#ensureSpace(height: number): Generator<Sheet> {
    if (this.#y + height <= this.#end || this.#y === MARGIN) return;
    yield this.#sheet;
    this.#sheet = new Sheet(this.#size);
    this.#y = MARGIN;
  }

  *#lines(text: string, face: Face, size: number, indent: number): Generator<Sheet> {
    for (const line of breakLines(this.#fonts, text, face, size, this.#width - indent)) {
      yield* this.#ensureSpace(size * LEADING);
      this.#y += size * LEADING;
      this.#sheet.text(line, MARGIN + indent, this.#y, size);
    }
  }

  *#figure({ text, markdown }: Block, image: PlacedImage | undefined): Generator<Sheet> {
    if (!image) {
      const name = text || /\(([^()]*)\)/.exec(markdown)?.[1] || '';
      yield* this.#ensureSpace(FIGURE_HEIGHT);
      this.#sheet.frame(MARGIN, this.#y, this.#width, FIGURE_HEIGHT);
      const [line = []] = breakLines(this.#fonts, name, 'regular', CODE, this.#width - 16);
      this.#sheet.text(line, MARGIN + 8, this.#y + FIGURE_HEIGHT / 2, CODE);
      this.#y += FIGURE_HEIGHT;
      return;
    }
    const [natural, high] = [image.width * POINTS_PER_PIXEL, image.height * POINTS_PER_PIXEL];
    const fit = Math.min(1, this.#width / natural, (this.#end - MARGIN) / high);
    const [width, height] = [natural * fit, high * fit];
    yield* this.#ensureSpace(height);
    this.#sheet.picture(image.name, MARGIN, this.#y, width, height, image.orientation);
    this.#y += height;
    if (text !== '') yield* this.#lines(text, 'regular', CODE, 0);
  }

  /**
   * Draws a table and yields the pages that it fills. Each line of `text` is a row whose cells are separated
   * by tabs. The first row is the header.
   */
  *#table(text: string): Generator<Sheet> {
    const rows = text.split('\n').map((row) => row.split('\t'));
    const widths = computeColumnWidths(this.#fonts, rows, this.#width);
    for (const [index, cells] of rows.entries()) {
      const row = createTableRow(this.#fonts, cells, widths, index === 0);
      while (!row.isDone) {
        if (!row.fits(this.#end - this.#y)) yield* this.#ensureSpace(row.height);
        this.#y += row.draw(this.#sheet, MARGIN, this.#y, this.#end - this.#y);
      }
    }
  }
}

/**
 * Computes the size of the output pages. They are as wide as the original page, or wider if a table has many
 * columns.
 */
function computeSheetSize({ width, height }: Size, blocks: readonly Block[]): Size {
  const columns = blocks
    .filter(({ type }) => type === 'table')
    .map(({ text }) => text.split('\n').reduce((most, row) => Math.max(most, row.split('\t').length), 0));
  const most = columns.reduce((widest, count) => Math.max(widest, count), 0);
  if (most > MAX_COLUMNS) {
    throw new ParseError(
      'DOCUMENT_TOO_LARGE',
      `The PDF of the document would have a table of ${most} columns, and the limit is ${MAX_COLUMNS}.`,
    );
  }
  const needed = most * MIN_COLUMN_WIDTH + 2 * MARGIN;
  return {
    width: Math.min(MAX_SIDE, Math.max(width, MIN_SIDE, needed)),
    height: Math.min(MAX_SIDE, Math.max(height, MIN_SIDE)),
  };
}

/** Divides the available width among the columns of a table, according to the width of their cells. */
function computeColumnWidths(fonts: Fonts, rows: readonly string[][], available: number): number[] {
  const count = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const wanted = Array.from({ length: count }, (_, column) => {
    let [longest, needed] = [0, MIN_COLUMN];
    for (const [at, row] of rows.entries()) {
      const cell = (row[column] ?? '').slice(0, CHARACTERS_MEASURED);
      // Measures every cell in the first rows. In later rows, skips cells that have fewer characters than the
      // longest measured cell.
      if (at >= ROWS_MEASURED && cell.length < longest) continue;
      longest = Math.max(longest, cell.length);
      needed = Math.max(needed, measureLine(fonts.toGlyphs(cell, 'bold'), SIZE));
    }
    return Math.min(available / 2, needed + 2 * PADDING + 1);
  });
  const total = wanted.reduce((sum, width) => sum + width, 0);
  return total <= available ? wanted : wanted.map((width) => (width / total) * available);
}

function createTableRow(
  fonts: Fonts,
  cells: readonly string[],
  widths: readonly number[],
  isHeader: boolean,
): TableRow {
  const face = isHeader ? 'bold' : 'regular';
  const lines: Line[][] = widths.map((width, column) => [
    ...breakLines(fonts, cells[column] ?? '', face, SIZE, Math.max(SIZE, width - 2 * PADDING)),
  ]);
  const count = lines.reduce((most, cell) => Math.max(most, cell.length), 1);
  let drawn = 0;
  const getRowHeight = (most: number) => most * LINE + 2 * PADDING;
  return {
    get isDone() {
      return drawn >= count;
    },
    get height() {
      return getRowHeight(count - drawn);
    },
    fits: (height) => getRowHeight(count - drawn) <= height,
    draw(sheet, left, top, height) {
      const taken = Math.min(count - drawn, Math.max(1, Math.floor((height - 2 * PADDING) / LINE)));
      let x = left;
      for (const [column, cell] of lines.entries()) {
        const width = widths[column]!;
        if (isHeader) sheet.fill(x, top, width, getRowHeight(taken), HEADER_GREY);
        sheet.frame(x, top, width, getRowHeight(taken));
        for (const [at, line] of cell.slice(drawn, drawn + taken).entries()) {
          sheet.text(line, x + PADDING, top + PADDING + (at + 0.8) * LINE, SIZE);
        }
        x += width;
      }
      drawn += taken;
      return getRowHeight(taken);
    },
  };
}
