import type { TakeCells } from '#src/parsing/sheets/budget.ts';
import { scanXml } from '#src/parsing/xml.ts';
import { formatNumber } from './format.ts';
import { localName } from './workbook.ts';

export interface SheetContext {
  strings: readonly string[];
  formats: readonly string[];
  date1904: boolean;
  removeHidden: boolean;
  takeCells: TakeCells;
}

/** What a sheet holds: rows by number, each a sparse list of cell texts by column. */
export interface SheetData {
  rows: Map<number, string[]>;
  links: { row: number; column: number; relationshipId: string | undefined; location: string | undefined }[];
  drawingId: string | undefined;
}

const MAX_COLUMNS = 16_384;

/** 'AB12' as zero-based [row, column]. */
export function cellAddress(reference: string): [row: number, column: number] | undefined {
  const match = /^([A-Z]{1,3})(\d{1,7})/.exec(reference);
  if (!match) return undefined;
  let column = 0;
  for (const letter of match[1]!) column = column * 26 + letter.charCodeAt(0) - 64;
  return column > MAX_COLUMNS ? undefined : [Number(match[2]) - 1, column - 1];
}

interface OpenCell {
  row: number;
  column: number;
  type: string;
  format: string;
  value: string;
  formula: string;
}

function show(cell: OpenCell, context: SheetContext): string {
  const { type, value } = cell;
  if (value === '') return type === 'n' && cell.formula !== '' ? `=${cell.formula}` : '';
  if (type === 's') return context.strings[Number(value)] ?? '';
  if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE';
  if (type !== 'n') return value;
  const number = Number(value);
  return Number.isNaN(number) ? value : formatNumber(number, cell.format, context.date1904);
}

/** Reads a worksheet as a stream: memory grows with the cells that hold something. */
export function readSheet(source: string, context: SheetContext): SheetData {
  const data: SheetData = { rows: new Map(), links: [], drawingId: undefined };
  let cell: OpenCell | undefined;
  let into: 'value' | 'formula' | undefined;
  let phonetic = 0;
  let row = -1;
  let column = -1;
  let rowHidden = false;
  const hiddenColumns: [number, number][] = [];
  const isOn = (value: string | undefined) => value === '1' || value === 'true';
  const close = (ended: OpenCell) => {
    const text = show(ended, context).trim();
    if (text === '' || rowHidden) return;
    if (hiddenColumns.some(([from, to]) => ended.column >= from && ended.column <= to)) return;
    context.takeCells(1);
    const cells = data.rows.get(ended.row) ?? [];
    cells[ended.column] = text;
    data.rows.set(ended.row, cells);
  };
  scanXml(source, {
    open(name, attributes) {
      const local = localName(name);
      if (local === 'row') {
        row = attributes.r === undefined ? row + 1 : Number(attributes.r) - 1;
        column = -1;
        rowHidden = context.removeHidden && isOn(attributes.hidden);
      } else if (local === 'c') {
        const at = attributes.r === undefined ? undefined : cellAddress(attributes.r);
        [row, column] = at ?? [row, column + 1];
        const format = context.formats[Number(attributes.s ?? 0)] ?? 'General';
        cell = { row, column, type: attributes.t ?? 'n', format, value: '', formula: '' };
      } else if (local === 'v' || local === 't') into = 'value';
      else if (local === 'f') into = 'formula';
      else if (local === 'rPh') phonetic++;
      else if (local === 'col' && context.removeHidden && isOn(attributes.hidden)) {
        hiddenColumns.push([Number(attributes.min) - 1, Number(attributes.max) - 1]);
      } else if (local === 'hyperlink') {
        const at = cellAddress(attributes.ref ?? '');
        const relationshipId = Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1];
        if (at) data.links.push({ row: at[0], column: at[1], relationshipId, location: attributes.location });
      } else if (local === 'drawing') {
        data.drawingId = Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1];
      }
    },
    text(text) {
      if (cell && into && phonetic === 0) cell[into] += text;
    },
    close(name) {
      const local = localName(name);
      if (local === 'v' || local === 't' || local === 'f') into = undefined;
      else if (local === 'rPh') phonetic--;
      else if (local === 'c' && cell) {
        close(cell);
        cell = undefined;
      }
    },
  });
  return data;
}
