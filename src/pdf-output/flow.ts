import type { Block } from '#src/documents/document.ts';
import { ParseError } from '#src/documents/errors.ts';
import type { Face } from './font-programs.ts';
import type { Fonts } from './fonts.ts';
import { breakLines, type Line, widthOf } from './lines.ts';
import { Sheet, type Size } from './sheet.ts';

const SIZE = 9;

const LINE = SIZE * 1.35;

const PADDING = 3;

const MIN_COLUMN = 12;

const ROWS_MEASURED = 100;

const CHARACTERS_MEASURED = 200;

const HEADER_GREY = 0.94;

/** A row of a table that is drawn at once, or piece by piece where it is too high. */
interface TableRow {
  readonly isDone: boolean;
  /** Of all that is still to be drawn. */
  readonly height: number;
  fits(height: number): boolean;
  /** Draws what fits, a line at least; answers with the height that it took. */
  draw(sheet: Sheet, left: number, top: number, height: number): number;
}

export const MARGIN = 54;
const BODY = 10.5;
const CODE = 9;
const LEADING = 1.35;
const HEADINGS = [20, 17, 14.5, 12.5, 11.5, 11];
const FIGURE_HEIGHT = 96;
const POINTS_PER_PIXEL = 72 / 96;
/** What every program shows. */
const LONGEST_SIDE = 14_400;
const NARROWEST = 200;
/** Of a table's column. */
const NARROWEST_COLUMN = 24;
/** As many as spreadsheet programs know; far fewer can be told apart on the widest sheet. */
const MOST_COLUMNS = 16_384;

/** A picture that stands in the file already. */
export interface PlacedImage {
  name: string;
  width: number;
  height: number;
  orientation: number | undefined;
}

/** Sets blocks one below the other on as many sheets as they take. A sheet that is full is handed out. */
export class Flow {
  readonly #fonts: Fonts;
  readonly #size: Size;
  #sheet: Sheet;
  #y = MARGIN;

  constructor(fonts: Fonts, page: Size, blocks: readonly Block[]) {
    this.#fonts = fonts;
    this.#size = sheetSize(page, blocks);
    this.#sheet = new Sheet(this.#size);
  }

  /** The sheet that has room left. */
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

  *#room(height: number): Generator<Sheet> {
    if (this.#y + height <= this.#end || this.#y === MARGIN) return;
    yield this.#sheet;
    this.#sheet = new Sheet(this.#size);
    this.#y = MARGIN;
  }

  *#lines(text: string, face: Face, size: number, indent: number): Generator<Sheet> {
    for (const line of breakLines(this.#fonts, text, face, size, this.#width - indent)) {
      yield* this.#room(size * LEADING);
      this.#y += size * LEADING;
      this.#sheet.text(line, MARGIN + indent, this.#y, size);
    }
  }

  *#figure({ text, markdown }: Block, image: PlacedImage | undefined): Generator<Sheet> {
    if (!image) {
      const name = text || /\(([^()]*)\)/.exec(markdown)?.[1] || '';
      yield* this.#room(FIGURE_HEIGHT);
      this.#sheet.frame(MARGIN, this.#y, this.#width, FIGURE_HEIGHT);
      const [line = []] = breakLines(this.#fonts, name, 'regular', CODE, this.#width - 16);
      this.#sheet.text(line, MARGIN + 8, this.#y + FIGURE_HEIGHT / 2, CODE);
      this.#y += FIGURE_HEIGHT;
      return;
    }
    const [natural, high] = [image.width * POINTS_PER_PIXEL, image.height * POINTS_PER_PIXEL];
    const fit = Math.min(1, this.#width / natural, (this.#end - MARGIN) / high);
    const [width, height] = [natural * fit, high * fit];
    yield* this.#room(height);
    this.#sheet.picture(image.name, MARGIN, this.#y, width, height, image.orientation);
    this.#y += height;
    if (text !== '') yield* this.#lines(text, 'regular', CODE, 0);
  }

  /** Rows are lines, cells are separated by tabs, the first row is the header. */
  *#table(text: string): Generator<Sheet> {
    const rows = text.split('\n').map((row) => row.split('\t'));
    const widths = columnWidths(this.#fonts, rows, this.#width);
    for (const [index, cells] of rows.entries()) {
      const row = setRow(this.#fonts, cells, widths, index === 0);
      // A row that is higher than a sheet goes on where the next one begins.
      while (!row.isDone) {
        if (!row.fits(this.#end - this.#y)) yield* this.#room(row.height);
        this.#y += row.draw(this.#sheet, MARGIN, this.#y, this.#end - this.#y);
      }
    }
  }
}

/** As the page is, and as wide as its widest table needs. */
function sheetSize({ width, height }: Size, blocks: readonly Block[]): Size {
  const columns = blocks
    .filter(({ type }) => type === 'table')
    .map(({ text }) => text.split('\n').reduce((most, row) => Math.max(most, row.split('\t').length), 0));
  const most = columns.reduce((widest, count) => Math.max(widest, count), 0);
  if (most > MOST_COLUMNS) {
    throw new ParseError('DOCUMENT_TOO_LARGE', `A PDF of it would have a table of ${most} columns.`);
  }
  const needed = most * NARROWEST_COLUMN + 2 * MARGIN;
  return {
    width: Math.min(LONGEST_SIDE, Math.max(width, NARROWEST, needed)),
    height: Math.min(LONGEST_SIDE, Math.max(height, NARROWEST)),
  };
}

/** Columns share the page by what their cells need. */
function columnWidths(fonts: Fonts, rows: readonly string[][], available: number): number[] {
  const count = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const wanted = Array.from({ length: count }, (_, column) => {
    let [longest, needed] = [0, MIN_COLUMN];
    for (const [at, row] of rows.entries()) {
      const cell = (row[column] ?? '').slice(0, CHARACTERS_MEASURED);
      // Of many rows only cells can be wider that have as many characters as any before.
      if (at >= ROWS_MEASURED && cell.length < longest) continue;
      longest = Math.max(longest, cell.length);
      needed = Math.max(needed, widthOf(fonts.set(cell, 'bold'), SIZE));
    }
    return Math.min(available / 2, needed + 2 * PADDING + 1);
  });
  const total = wanted.reduce((sum, width) => sum + width, 0);
  return total <= available ? wanted : wanted.map((width) => (width / total) * available);
}

function setRow(
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
  const heightOf = (most: number) => most * LINE + 2 * PADDING;
  return {
    get isDone() {
      return drawn >= count;
    },
    get height() {
      return heightOf(count - drawn);
    },
    fits: (height) => heightOf(count - drawn) <= height,
    draw(sheet, left, top, height) {
      const taken = Math.min(count - drawn, Math.max(1, Math.floor((height - 2 * PADDING) / LINE)));
      let x = left;
      for (const [column, cell] of lines.entries()) {
        const width = widths[column]!;
        if (isHeader) sheet.fill(x, top, width, heightOf(taken), HEADER_GREY);
        sheet.frame(x, top, width, heightOf(taken));
        for (const [at, line] of cell.slice(drawn, drawn + taken).entries()) {
          sheet.text(line, x + PADDING, top + PADDING + (at + 0.8) * LINE, SIZE);
        }
        x += width;
      }
      drawn += taken;
      return heightOf(taken);
    },
  };
}
