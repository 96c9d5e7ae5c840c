import { read, set_cptable, utils, type WorkBook } from '@e965/xlsx';
import { ParseError } from '#src/documents/errors.ts';
import { getErrorMessage } from '#src/lib/errors.ts';
import { decodeCodePage } from '#src/text-formats/code-pages.ts';
import { OLE_SIGNATURE, OleFile } from '../shared/containers/ole.ts';
import { dropAuthorLine, type ShownComment, writeComment } from '../shared/flow/comments.ts';
import { createNoDataError, finishDocument } from '../shared/flow/finish.ts';
import { Flow } from '../shared/flow/flow.ts';
import { type Scalar, toCellError } from '../shared/formulas/values.ts';
import type { Parser } from '../shared/parser.ts';
import { createUnsupportedEncryptionError } from '../shared/protection/errors.ts';
import { type CountCells, createCellCounter } from '../shared/sheets/budget.ts';
import { formatNumber } from '../shared/sheets/cell-format.ts';
import { addCellLink, type CellLinks, parseHyperlinkFormula } from '../shared/sheets/cell-links.ts';
import {
  type FormulaSheetInput,
  fillFormulas,
  shouldComputeFormulas,
} from '../shared/sheets/fill-formulas.ts';
import { writeSheet } from '../shared/sheets/write-sheet.ts';
import { type OpenedWorkbook, openLockedWorkbook } from './locked-workbook.ts';

const WORKBOOK_STREAMS = ['Workbook', 'WORKBOOK', 'Book'];
/** Type of a workbook's first record if the workbook is not inside an OLE2 container. */
const BARE_WORKBOOK = 0x09;
const MAX_ROWS = 70_000;

/**
 * Number of texts that the library may still decode. The library trusts wrong lengths in damaged files and
 * would read past the end of the data.
 */
let remainingDecodes = 0;

let hasCodePages = false;
/** Installs a decoder for code pages into the library. Workbooks from before 1997 need this decoder. */
function setCodePages(): void {
  if (hasCodePages) return;
  hasCodePages = true;
  set_cptable({
    utils: {
      decode(page: number, bytes: ArrayLike<number>) {
        if (--remainingDecodes < 0) throw new Error('its texts are longer than the file');
        return decodeCodePage(Uint8Array.from(bytes), page);
      },
      encode: (_: number, text: string) => new TextEncoder().encode(text),
    },
  });
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: names of property streams start with one
const PROPERTY_STREAM = /\u0005\0(?=(?:D\0o\0c\0u\0m\0e\0n\0t\0)?S\0u\0m\0m\0a\0r\0y\0)/g;

/**
 * Returns the file with renamed property streams, so that the library skips them. A damaged count in a
 * property stream would keep the library busy for minutes.
 */
function hidePropertyStreams(bytes: Uint8Array): Uint8Array {
  const copy = bytes.slice();
  const text = new TextDecoder('latin1').decode(bytes);
  for (const { index } of text.matchAll(PROPERTY_STREAM)) copy[index] = 0x78;
  return copy;
}

function readWorkbook(bytes: Uint8Array): WorkBook {
  setCodePages();
  remainingDecodes = 10_000 + bytes.length * 2;
  try {
    return read(hidePropertyStreams(bytes), {
      type: 'array',
      dense: true,
      cellNF: true,
      cellText: false,
      cellHTML: false,
      sheetRows: MAX_ROWS,
    });
  } catch (error) {
    if (/password|encrypt/i.test(getErrorMessage(error))) {
      throw createUnsupportedEncryptionError('its encryption type is not supported');
    }
    throw new ParseError('FILE_IS_BROKEN', `The workbook is damaged: ${getErrorMessage(error)}.`, error);
  }
}

/** Returns the decrypted records of a workbook, or `undefined` if the workbook is not encrypted. */
function decryptWorkbook(bytes: Uint8Array, password: string | null | undefined): OpenedWorkbook | undefined {
  if (bytes[0] === BARE_WORKBOOK) return openLockedWorkbook(bytes, password);
  if (!OLE_SIGNATURE.every((byte, at) => bytes[at] === byte)) return undefined;
  const container = new OleFile(bytes);
  const name = container.names.find((each) => WORKBOOK_STREAMS.includes(each));
  const stream = name && container.stream(name);
  return stream ? openLockedWorkbook(stream, password) : undefined;
}

interface Cell {
  t: string;
  v?: unknown;
  w?: string;
  z?: string | number;
  f?: string;
  /** Range of cells that the result of an array formula fills, such as A1:B2. */
  F?: string;
  l?: { Target?: string };
  /** Comments on the cell, with their author and text. */
  c?: { a?: string; t?: string }[];
}

function formatCell(cell: Cell, date1904: boolean): string {
  const { t, v } = cell;
  if (v === undefined || v === null) return cell.f ? `=${cell.f}` : '';
  if (t === 'n' && typeof v === 'number') return formatNumber(v, String(cell.z ?? 'General'), date1904);
  if (t === 'b') return v ? 'TRUE' : 'FALSE';
  if (t === 'e') return cell.w ?? '#ERROR!';
  return v instanceof Date ? v.toISOString() : String(v).trim();
}

function storedValue({ t, v, w }: Cell): Scalar | undefined {
  if (v === undefined || v === null) return undefined;
  if (t === 'e') return toCellError(w ?? '');
  return typeof v === 'number' || typeof v === 'boolean' ? v : String(v);
}

type Grid = (Cell | undefined)[][];

function* iterateCells(grid: Grid): Generator<[row: number, column: number, cell: Cell]> {
  for (const [row, cells] of grid.entries())
    for (const [column, cell] of (cells ?? []).entries()) if (cell) yield [row, column, cell];
}

function formatCells(grid: Grid, date1904: boolean, countCells: CountCells): Map<number, string[]> {
  const rows = new Map<number, string[]>();
  for (const [row, column, cell] of iterateCells(grid)) {
    const text = formatCell(cell, date1904);
    if (text === '') continue;
    countCells(1, text.length);
    const line = rows.get(row) ?? [];
    line[column] = text;
    rows.set(row, line);
  }
  return rows;
}

function collectLinks(grid: Grid): CellLinks {
  const links: CellLinks = new Map();
  for (const [row, column, cell] of iterateCells(grid)) {
    const target = cell.l?.Target;
    const url = target?.startsWith('#') ? undefined : (target ?? parseHyperlinkFormula(cell.f ?? ''));
    if (url !== undefined) addCellLink(links, row, column, url);
  }
  return links;
}

/** The library names an author of its own for workbooks from before 1997, which do not store authors. */
const UNKNOWN_AUTHOR = 'SheetJ5';

function listComments(grid: Grid): ShownComment[] {
  return [...iterateCells(grid)].flatMap(([row, column, cell]) =>
    (cell.c ?? []).map(({ a = '', t = '' }) => {
      const author = a === UNKNOWN_AUTHOR ? '' : a.trim();
      const runs = [{ text: dropAuthorLine(t, author) }];
      return { author, place: utils.encode_cell({ r: row, c: column }), runs };
    }),
  );
}

/**
 * Reads a sheet as input for computing formulas. The library has already expanded shared formulas for each of
 * their cells.
 */
function sheetForFormulas(name: string, grid: Grid, date1904: boolean): FormulaSheetInput {
  const sheet: FormulaSheetInput = { name, rows: new Map(), formulas: [] };
  for (const [row, column, cell] of iterateCells(grid)) {
    const value = storedValue(cell);
    if (value !== undefined) {
      const line = sheet.rows.get(row) ?? [];
      line[column] = value;
      sheet.rows.set(row, line);
    }
    const area = cell.F ? utils.decode_range(cell.F) : undefined;
    if (!cell.f || (area && (area.s.r !== row || area.s.c !== column))) continue;
    const fills = area && { bottom: area.e.r, right: area.e.c };
    const format = String(cell.z ?? 'General');
    const shown = (number: number) => formatNumber(number, format, date1904);
    sheet.formulas.push({ row, column, formula: cell.f, fills, hidden: false, show: shown });
  }
  return sheet;
}

/**
 * Parses legacy workbooks (BIFF 2 to 8) and binary workbooks (xlsb). Each sheet with content becomes one
 * page.
 */
export const xlsParser: Parser = {
  async open({ bytes, plan, budget }) {
    const locked = decryptWorkbook(bytes, plan.pages.password);
    const workbook = readWorkbook(locked?.records ?? bytes);
    const date1904 = workbook.Workbook?.WBProps?.date1904 === true;
    const countCells = createCellCounter(budget);
    const grids = workbook.SheetNames.map((name) => (workbook.Sheets[name]?.['!data'] ?? []) as Grid);
    const rows = grids.map((grid, index) => {
      const hidden = (workbook.Workbook?.Sheets?.[index]?.Hidden ?? 0) !== 0;
      if (hidden && !plan.spreadsheet.hiddenSheets) return undefined;
      return formatCells(grid, date1904, countCells);
    });
    const hasUnstored = grids.some((grid) =>
      [...iterateCells(grid)].some(([, , cell]) => Boolean(cell.f) && storedValue(cell) === undefined),
    );
    const formulas = shouldComputeFormulas(plan.spreadsheet, hasUnstored)
      ? await fillFormulas(
          {
            ...{ dialect: 'ooxml', date1904 },
            sheets: workbook.SheetNames.map((name, at) => sheetForFormulas(name, grids[at]!, date1904)),
            names: (workbook.Workbook?.Names ?? []).map(({ Name, Ref, Sheet }) => ({
              ...{ name: Name, formula: Ref, sheet: Sheet ?? undefined },
            })),
          },
          rows,
          plan.spreadsheet,
          countCells,
          budget,
        )
      : [];
    const flow = new Flow(plan, budget);
    workbook.SheetNames.forEach((name, at) => {
      const cells = rows[at];
      const comments = cells ? listComments(grids[at]!) : [];
      if (!cells || cells.size + comments.length === 0) return;
      const shown = { name, cells, links: collectLinks(grids[at]!), formulas: formulas[at] };
      writeSheet(flow, shown, plan.spreadsheet);
      for (const comment of comments) writeComment(flow, comment);
    });
    if (!rows.some((cells) => cells && cells.size > 0)) throw createNoDataError();
    const document = finishDocument(flow);
    return locked?.unlocked ? { ...document, unlocked: true } : document;
  },
};
