import type { Run } from '#src/formats/shared/flow/runs.ts';
import { type Scalar, toCellError } from '#src/formats/shared/formulas/values.ts';
import type { CountCells } from '#src/formats/shared/sheets/budget.ts';
import { parseHyperlinkFormula } from '#src/formats/shared/sheets/cell-links.ts';
import { addCellRuns, type CellRuns } from '#src/formats/shared/sheets/cell-runs.ts';
import type { FormulaSheetInput } from '#src/formats/shared/sheets/fill-formulas.ts';
import { getOwn } from '#src/lib/get-own.ts';
import { scanXml } from '#src/text-formats/xml.ts';
import { formatNumber } from '../shared/sheets/cell-format.ts';
import { localName, VERTICAL_POSITIONS } from './workbook.ts';

export interface SheetContext {
  strings: readonly string[];
  /** Runs of the shared strings that have subscripts or superscripts, by index. */
  richStrings: ReadonlyMap<number, Run[]>;
  formats: readonly string[];
  date1904: boolean;
  removeHidden: boolean;
  countCells: CountCells;
}

/** Contents of a worksheet. `rows` maps row numbers to sparse lists of cell texts, indexed by column. */
export interface SheetData {
  rows: Map<number, string[]>;
  /** Runs of cells whose text has subscripts or superscripts. */
  rich: CellRuns;
  /** Links of cells. The target of a link is either a relationship of the sheet or a URL. */
  links: { row: number; column: number; relationshipId?: string | undefined; url?: string | undefined }[];
  drawingId: string | undefined;
  /** True if at least one formula of the sheet has no stored result. */
  hasUnstored: boolean;
}

const MAX_COLUMNS = 16_384;

/**
 * Parses a cell name such as 'AB12' into a 0-based row and column. Returns `undefined` if the name is
 * invalid.
 */
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
  /** Runs of a text that is stored in the cell itself. */
  runs: Run[];
  /** Attributes of the cell's formula element in the XML. Undefined if the cell has no formula. */
  formulaAttributes?: Record<string, string> | undefined;
}

function formatCell(cell: OpenCell, context: SheetContext): string {
  const { type, value } = cell;
  if (value === '') return type === 'n' && cell.formula !== '' ? `=${cell.formula}` : '';
  if (type === 's') return context.strings[Number(value)] ?? '';
  if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE';
  if (type !== 'n') return value;
  const number = Number(value);
  return Number.isNaN(number) ? value : formatNumber(number, cell.format, context.date1904);
}

function storedValue({ type, value }: OpenCell, strings: readonly string[]): Scalar | undefined {
  if (value === '') return type === 'n' ? undefined : '';
  if (type === 's') return strings[Number(value)] ?? '';
  if (type === 'b') return value === '1';
  if (type === 'e') return toCellError(value);
  const number = type === 'n' ? Number(value) : Number.NaN;
  return Number.isNaN(number) ? value : number;
}

/** Stores a cell as input for computing formulas. `shared` contains shared formulas by their index. */
function storeFormulaCell(
  cell: OpenCell,
  hidden: boolean,
  into: FormulaSheetInput,
  shared: Map<string, SharedFormula>,
  context: SheetContext,
): void {
  const value = storedValue(cell, context.strings);
  if (value !== undefined) {
    const cells = into.rows.get(cell.row) ?? [];
    cells[cell.column] = value;
    into.rows.set(cell.row, cells);
  }
  if (!cell.formulaAttributes) return;
  const { t, si = '', ref = '' } = cell.formulaAttributes;
  const { row, column, format } = cell;
  if (t === 'shared' && cell.formula !== '')
    shared.set(si, { formula: cell.formula, origin: { row, column } });
  const { formula, origin } = (t === 'shared' && shared.get(si)) || {
    formula: cell.formula,
    origin: undefined,
  };
  if (formula === '' || t === 'dataTable') return;
  const last = t === 'array' ? cellAddress(ref.slice(ref.indexOf(':') + 1)) : undefined;
  const fills = last && { bottom: Math.max(row, last[0]), right: Math.max(column, last[1]) };
  const show = (number: number) => formatNumber(number, format, context.date1904);
  into.formulas.push({ row, column, formula, origin, fills, hidden, show });
}

function hideColumns(hidden: Uint8Array, from: number, to: number): void {
  if (from >= 0 && from < to) hidden.fill(1, from, to);
}

interface SharedFormula {
  formula: string;
  origin: { row: number; column: number };
}

const createSheetData = (): SheetData => ({
  rows: new Map(),
  rich: new Map(),
  links: [],
  drawingId: undefined,
  hasUnstored: false,
});

/**
 * Reads a worksheet as a stream, so that memory grows only with the filled cells. `forFormulas` receives all
 * stored values and formulas, including those of hidden cells.
 */
export function readSheet(source: string, context: SheetContext, forFormulas?: FormulaSheetInput): SheetData {
  const data = createSheetData();
  const shared = new Map<string, SharedFormula>();
  let cell: OpenCell | undefined;
  let into: 'value' | 'formula' | undefined;
  let phonetic = 0;
  let script: Run['script'];
  let row = -1;
  let column = -1;
  let rowHidden = false;
  const hiddenColumns = new Uint8Array(MAX_COLUMNS);
  const isOn = (value: string | undefined) => value === '1' || value === 'true';
  const close = (ended: OpenCell) => {
    const { column } = ended;
    const hidden = rowHidden || hiddenColumns[column] === 1;
    if (ended.formulaAttributes && ended.type === 'n' && ended.value === '') data.hasUnstored = true;
    if (forFormulas) storeFormulaCell(ended, hidden, forFormulas, shared, context);
    const shown = formatCell(ended, context);
    // Many cells may share one long text. Its length is therefore counted for each cell before the text is
    // trimmed.
    context.countCells(0, shown.length);
    const text = shown.trim();
    if (text === '' || hidden) return;
    const url = parseHyperlinkFormula(ended.formula);
    if (url !== undefined) data.links.push({ row: ended.row, column, url });
    context.countCells(1);
    const cells = data.rows.get(ended.row) ?? [];
    cells[ended.column] = text;
    data.rows.set(ended.row, cells);
    const runs = ended.type === 's' ? context.richStrings.get(Number(ended.value)) : ended.runs;
    if (runs?.some((run) => run.script !== undefined)) addCellRuns(data.rich, ended.row, ended.column, runs);
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
        cell = { row, column, type: attributes.t ?? 'n', format, value: '', formula: '', runs: [] };
      } else if (local === 'v' || local === 't') into = 'value';
      else if (local === 'f') {
        into = 'formula';
        if (cell) cell.formulaAttributes = attributes;
      } else if (local === 'rPh') phonetic++;
      else if (local === 'r') script = undefined;
      else if (local === 'vertAlign') script = getOwn(VERTICAL_POSITIONS, attributes.val ?? '');
      else if (local === 'col' && context.removeHidden && isOn(attributes.hidden)) {
        hideColumns(hiddenColumns, Number(attributes.min) - 1, Number(attributes.max));
      } else if (local === 'hyperlink') {
        const at = cellAddress(attributes.ref ?? '');
        const relationshipId = Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1];
        if (at) data.links.push({ row: at[0], column: at[1], relationshipId });
      } else if (local === 'drawing') {
        data.drawingId = Object.entries(attributes).find(([key]) => key.endsWith(':id'))?.[1];
      }
    },
    text(text) {
      if (!cell || !into || phonetic > 0) return;
      cell[into] += text;
      if (cell.type === 'inlineStr') cell.runs.push({ text, script });
    },
    close(name) {
      const local = localName(name);
      if (local === 'v' || local === 't' || local === 'f') into = undefined;
      else if (local === 'rPh') phonetic--;
      else if (local === 'c' && cell) {
        close(cell);
        cell = undefined;
        script = undefined;
      }
    },
  });
  return data;
}
