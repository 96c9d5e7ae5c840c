import { read, set_cptable, utils, type WorkBook } from '@e965/xlsx';
import { ParseError } from '#src/documents/errors.ts';
import { messageOf } from '#src/lib/errors.ts';
import { decodeCodePage } from '#src/text-formats/code-pages.ts';
import { OLE_SIGNATURE, OleFile } from '../shared/containers/ole.ts';
import type { Parser } from '../shared/driver.ts';
import { finishDocument, noData } from '../shared/flow/finish.ts';
import { Flow } from '../shared/flow/flow.ts';
import { errorOf, type Scalar } from '../shared/formulas/values.ts';
import { unreadableProtection } from '../shared/protection/refusal.ts';
import { cellBudget, type TakeCells } from '../shared/sheets/budget.ts';
import { formatNumber } from '../shared/sheets/cell-format.ts';
import { addCellLink, type CellLinks, linkOfFormula } from '../shared/sheets/cell-links.ts';
import { fillFormulas, type ReadSheet, wantsFormulas } from '../shared/sheets/fill-formulas.ts';
import { writeSheet } from '../shared/sheets/write-sheet.ts';
import { type OpenedWorkbook, openLockedWorkbook } from './locked-workbook.ts';

const WORKBOOK_STREAMS = ['Workbook', 'WORKBOOK', 'Book'];
/** The first record's type, where there is no container. */
const BARE_WORKBOOK = 0x09;
const MAX_ROWS = 70_000;

/** The library believes declared lengths and reads on past the end; this stops it. Set before each reading. */
let decodesLeft = 0;

let tablesSet = false;
/** Workbooks of before 1997 hold text in code pages: the library takes a decoder for them. */
function setCodePages(): void {
  if (tablesSet) return;
  tablesSet = true;
  set_cptable({
    utils: {
      decode(page: number, bytes: ArrayLike<number>) {
        if (--decodesLeft < 0) throw new Error('its texts are longer than the file');
        return decodeCodePage(Uint8Array.from(bytes), page);
      },
      encode: (_: number, text: string) => new TextEncoder().encode(text),
    },
  });
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: names of streams start with one
const PROPERTY_STREAM = /\u0005\0(?=(?:D\0o\0c\0u\0m\0e\0n\0t\0)?S\0u\0m\0m\0a\0r\0y\0)/g;

/**
 * The file with its property streams renamed, so that the library passes them by: a damaged count in them keeps
 * it busy for minutes.
 */
function withoutProperties(bytes: Uint8Array): Uint8Array {
  const copy = bytes.slice();
  const text = new TextDecoder('latin1').decode(bytes);
  for (const { index } of text.matchAll(PROPERTY_STREAM)) copy[index] = 0x78;
  return copy;
}

function readWorkbook(bytes: Uint8Array): WorkBook {
  setCodePages();
  decodesLeft = 10_000 + bytes.length * 2;
  try {
    return read(withoutProperties(bytes), {
      type: 'array',
      dense: true,
      cellNF: true,
      cellText: false,
      cellHTML: false,
      sheetRows: MAX_ROWS,
    });
  } catch (error) {
    if (/password|encrypt/i.test(messageOf(error))) {
      throw unreadableProtection('its kind of encryption is not known here');
    }
    throw new ParseError('FILE_IS_BROKEN', `The workbook is damaged: ${messageOf(error)}.`, error);
  }
}

/** The stream of records, opened, of a workbook that is encrypted. */
function lockedWorkbook(bytes: Uint8Array, password: string | null | undefined): OpenedWorkbook | undefined {
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
  /** The cells that an array formula fills, such as A1:B2. */
  F?: string;
  l?: { Target?: string };
}

function show(cell: Cell, date1904: boolean): string {
  const { t, v } = cell;
  if (v === undefined || v === null) return cell.f ? `=${cell.f}` : '';
  if (t === 'n' && typeof v === 'number') return formatNumber(v, String(cell.z ?? 'General'), date1904);
  if (t === 'b') return v ? 'TRUE' : 'FALSE';
  if (t === 'e') return cell.w ?? '#ERROR!';
  return v instanceof Date ? v.toISOString() : String(v).trim();
}

function storedValue({ t, v, w }: Cell): Scalar | undefined {
  if (v === undefined || v === null) return undefined;
  if (t === 'e') return errorOf(w ?? '');
  return typeof v === 'number' || typeof v === 'boolean' ? v : String(v);
}

type Grid = (Cell | undefined)[][];

function* cellsOf(grid: Grid): Generator<[row: number, column: number, cell: Cell]> {
  for (const [row, cells] of grid.entries())
    for (const [column, cell] of (cells ?? []).entries()) if (cell) yield [row, column, cell];
}

function shownCells(grid: Grid, date1904: boolean, takeCells: TakeCells): Map<number, string[]> {
  const rows = new Map<number, string[]>();
  for (const [row, column, cell] of cellsOf(grid)) {
    const text = show(cell, date1904);
    if (text === '') continue;
    takeCells(1, text.length);
    const line = rows.get(row) ?? [];
    line[column] = text;
    rows.set(row, line);
  }
  return rows;
}

function linksOf(grid: Grid): CellLinks {
  const links: CellLinks = new Map();
  for (const [row, column, cell] of cellsOf(grid)) {
    const target = cell.l?.Target;
    const url = target?.startsWith('#') ? undefined : (target ?? linkOfFormula(cell.f ?? ''));
    if (url !== undefined) addCellLink(links, row, column, url);
  }
  return links;
}

/** A sheet as formulas see it; the library writes those that cells share out for each of them. */
function sheetForFormulas(name: string, grid: Grid, date1904: boolean): ReadSheet {
  const sheet: ReadSheet = { name, rows: new Map(), formulas: [] };
  for (const [row, column, cell] of cellsOf(grid)) {
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

/** Legacy workbooks (BIFF 2 to 8) and binary ones (xlsb): a page per sheet that holds something. */
export const xlsParser: Parser = {
  async open({ bytes, plan, budget }) {
    const locked = lockedWorkbook(bytes, plan.pages.password);
    const workbook = readWorkbook(locked?.records ?? bytes);
    const date1904 = workbook.Workbook?.WBProps?.date1904 === true;
    const takeCells = cellBudget(budget);
    const grids = workbook.SheetNames.map((name) => (workbook.Sheets[name]?.['!data'] ?? []) as Grid);
    const rows = grids.map((grid, index) => {
      const hidden = (workbook.Workbook?.Sheets?.[index]?.Hidden ?? 0) !== 0;
      if (hidden && !plan.spreadsheet.hiddenSheets) return undefined;
      return shownCells(grid, date1904, takeCells);
    });
    const hasUnstored = grids.some((grid) =>
      [...cellsOf(grid)].some(([, , cell]) => Boolean(cell.f) && storedValue(cell) === undefined),
    );
    const formulas = wantsFormulas(plan.spreadsheet, hasUnstored)
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
          takeCells,
          budget,
        )
      : [];
    const flow = new Flow(plan, budget);
    workbook.SheetNames.forEach((name, at) => {
      const cells = rows[at];
      if (!cells || cells.size === 0) return;
      const shown = { name, cells, links: linksOf(grids[at]!), formulas: formulas[at] };
      writeSheet(flow, shown, plan.spreadsheet);
    });
    if (!rows.some((cells) => cells && cells.size > 0)) throw noData();
    const document = finishDocument(flow);
    return locked?.unlocked ? { ...document, unlocked: true } : document;
  },
};
