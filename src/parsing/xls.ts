import { read, set_cptable, type WorkBook } from '@e965/xlsx';
import { messageOf } from '#src/errors.ts';
import { decodeCodePage } from './code-pages.ts';
import { ParseError } from './errors.ts';
import { finishDocument, noData } from './finish.ts';
import { Flow } from './flow/flow.ts';
import { OLE_SIGNATURE, OleFile } from './ole.ts';
import type { Parser } from './parser.ts';
import { unreadableProtection } from './protection/refusal.ts';
import { cellBudget } from './sheets/budget.ts';
import { writeSheet } from './sheets/write-sheet.ts';
import { type OpenedWorkbook, openLockedWorkbook } from './xls/locked-workbook.ts';
import { formatNumber } from './xlsx/format.ts';

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
}

function show(cell: Cell, date1904: boolean): string {
  const { t, v } = cell;
  if (v === undefined || v === null) return cell.f ? `=${cell.f}` : '';
  if (t === 'n' && typeof v === 'number') return formatNumber(v, String(cell.z ?? 'General'), date1904);
  if (t === 'b') return v ? 'TRUE' : 'FALSE';
  if (t === 'e') return cell.w ?? '#ERROR!';
  return v instanceof Date ? v.toISOString() : String(v).trim();
}

/** Legacy workbooks (BIFF 2 to 8) and binary ones (xlsb): a page per sheet that holds something. */
export const xlsParser: Parser = {
  async open({ bytes, parameters }) {
    const locked = lockedWorkbook(bytes, parameters.password);
    const workbook = readWorkbook(locked?.records ?? bytes);
    const date1904 = workbook.Workbook?.WBProps?.date1904 === true;
    const flow = new Flow(parameters);
    let shown = 0;
    const takeCells = cellBudget();
    workbook.SheetNames.forEach((name, index) => {
      const hidden = (workbook.Workbook?.Sheets?.[index]?.Hidden ?? 0) !== 0;
      if (hidden && !parameters.spreadsheet_include_hidden_sheets) return;
      const grid = (workbook.Sheets[name]?.['!data'] ?? []) as (Cell | undefined)[][];
      const rows = new Map<number, string[]>();
      grid.forEach((cells, row) => {
        cells?.forEach((cell, column) => {
          const text = cell ? show(cell, date1904) : '';
          if (text === '') return;
          takeCells(1);
          const line = rows.get(row) ?? [];
          line[column] = text;
          rows.set(row, line);
        });
      });
      if (rows.size === 0) return;
      shown++;
      writeSheet(flow, name, rows, parameters);
    });
    if (shown === 0) throw noData();
    const document = finishDocument(flow);
    return locked?.unlocked ? { ...document, unlocked: true } : document;
  },
};
