import type { Run } from '#src/formats/shared/flow/runs.ts';
import { type Scalar, toCellError } from '#src/formats/shared/formulas/values.ts';
import type { CountCells } from '#src/formats/shared/sheets/budget.ts';
import { addCellLink, type CellLinks, parseHyperlinkFormula } from '#src/formats/shared/sheets/cell-links.ts';
import { addCellRuns, type CellRuns } from '#src/formats/shared/sheets/cell-runs.ts';
import type { FormulaSheetInput } from '#src/formats/shared/sheets/fill-formulas.ts';
import { descendants, elements, getTextContent, type XmlElement } from '#src/text-formats/xml.ts';
import type { OdfPackage } from './package.ts';
import { odfRows, parseRepeat } from './rows.ts';

/**
 * Maximum number of times that a filled cell is repeated. Higher numbers only occur in decoration or
 * malicious files.
 */
const MAX_REPEAT = 10_000;
/** Maximum number of columns of a sheet, which is also the limit of common spreadsheet programs. */
const MAX_COLUMNS = 16_384;

function cellText(cell: XmlElement): string {
  const shown = elements(cell, 'text:p').map(getTextContent).join('\n').trim();
  const { attributes } = cell;
  if (attributes['office:value-type'] === 'date') {
    const date = (attributes['office:date-value'] ?? shown).replace('T', ' ');
    return date.replace(/ 00:00(?::00(?:\.0+)?)?$/, '');
  }
  if (shown === '' && attributes['table:formula']) {
    return attributes['office:value'] ?? `=${attributes['table:formula'].replace(/^(?:of|oooc):=/, '')}`;
  }
  return shown;
}

const DAY_MS = 86_400_000;
const EPOCH = Date.UTC(1899, 11, 30);

/**
 * Returns the stored value of a cell, for use in formulas. Dates and times are returned as days since
 * 1899-12-30. Returns `undefined` if no value is stored.
 */
function storedValue(cell: XmlElement, shown: string): Scalar | undefined {
  const { attributes } = cell;
  const type = attributes['office:value-type'] ?? attributes['calcext:value-type'];
  if (type === 'float' || type === 'percentage' || type === 'currency')
    return Number(attributes['office:value'] ?? 0);
  if (type === 'boolean') return attributes['office:boolean-value'] === 'true';
  if (type === 'date') {
    const written = attributes['office:date-value'] ?? '';
    const time = Date.parse(written.includes('T') ? `${written}Z` : written);
    return Number.isNaN(time) ? shown : (time - EPOCH) / DAY_MS;
  }
  if (type === 'time') {
    const [, hours, minutes, seconds] =
      /^PT(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9}(?:\.\d*)?)S)?$/.exec(
        attributes['office:time-value'] ?? '',
      ) ?? [];
    return (Number(hours ?? 0) * 3600 + Number(minutes ?? 0) * 60 + Number(seconds ?? 0)) / 86_400;
  }
  if (attributes['calcext:value-type'] === 'error') return toCellError(shown);
  return type === undefined && shown === '' ? undefined : shown;
}

const roundToPrecision = (number: number) => Number(number.toPrecision(15));

/**
 * Creates a function that formats the computed result of a formula. `type` is the value type that the file
 * stores for the result.
 */
function createFormatter(type: string | undefined): (value: number) => string {
  if (type === 'percentage') return (value) => `${roundToPrecision(value * 100)}%`;
  if (type === 'date') {
    return (value) => {
      const time = new Date(EPOCH + Math.round(value * 86_400) * 1000);
      return Number.isNaN(time.getTime())
        ? String(value)
        : time
            .toISOString()
            .slice(0, 19)
            .replace('T', ' ')
            .replace(/ 00:00:00$/, '');
    };
  }
  return (value) => String(roundToPrecision(value));
}

interface SheetOutputs {
  /** Receives the values and formulas of all rows, including hidden ones. */
  forFormulas?: FormulaSheetInput;
  /** Receives the link targets of visible cells. */
  links?: CellLinks;
  /** Receives the runs of visible cells that have subscripts or superscripts. `style` finds a style by its name. */
  rich?: { cells: CellRuns; style: OdfPackage['style'] };
}

/** Reads the filled cells of a sheet and skips repeated empty rows and columns. */
export function readOdfSheet(
  table: XmlElement,
  isHiddenRow: (row: XmlElement) => boolean,
  countCells: CountCells,
  { forFormulas, links, rich }: SheetOutputs = {},
): Map<number, string[]> {
  const rows = new Map<number, string[]>();
  let rowIndex = 0;
  for (const row of odfRows(table)) {
    const repeat = parseRepeat(row.attributes['table:number-rows-repeated']);
    const cells: string[] = [];
    const isHidden = isHiddenRow(row);
    let column = 0;
    let [filled, characters] = [0, 0];
    for (const cell of elements(row)) {
      if (!cell.name.startsWith('table:')) continue;
      if (column >= MAX_COLUMNS) break;
      const wide = parseRepeat(cell.attributes['table:number-columns-repeated']);
      const text = cell.name === 'table:table-cell' ? cellText(cell) : '';
      if (forFormulas && cell.name === 'table:table-cell') {
        storeFormulaCell(cell, { row: rowIndex, column, wide, tall: repeat, hidden: isHidden }, forFormulas);
      }
      if (links && text !== '' && !isHidden) addLink(cell, rowIndex, column, links);
      const runs = rich && text !== '' && !isHidden ? readCellRuns(cell, rich.style) : undefined;
      if (rich && runs) addCellRuns(rich.cells, rowIndex, column, runs);
      const end = Math.min(column + Math.min(wide, MAX_REPEAT), MAX_COLUMNS);
      if (text !== '') {
        for (let at = column; at < end; at++) cells[at] = text;
        filled += end - column;
        characters += (end - column) * text.length;
      }
      column += wide;
    }
    if (filled > 0 && !isHidden) {
      const times = Math.min(repeat, MAX_REPEAT);
      countCells(filled * times, characters * times);
      for (let at = 0; at < times; at++) rows.set(rowIndex + at, cells);
    }
    rowIndex += repeat;
  }
  return rows;
}

function addLink(cell: XmlElement, row: number, column: number, links: CellLinks): void {
  const written = descendants(cell, 'text:a')[0]?.attributes['xlink:href'];
  const url = written ?? parseHyperlinkFormula(cell.attributes['table:formula'] ?? '');
  if (url && !url.startsWith('#')) addCellLink(links, row, column, url);
}

interface CellPosition {
  row: number;
  column: number;
  /** Number of columns (`wide`) and rows (`tall`) over which the cell is repeated. */
  wide: number;
  tall: number;
  hidden: boolean;
}

function storeFormulaCell(
  cell: XmlElement,
  { row, column, wide, tall, hidden }: CellPosition,
  into: FormulaSheetInput,
): void {
  const { attributes } = cell;
  const formula = attributes['table:formula'];
  const value = storedValue(cell, elements(cell, 'text:p').map(getTextContent).join('\n').trim());
  if (value !== undefined && !(value === '' && !formula)) {
    for (let y = row; y < row + Math.min(tall, MAX_REPEAT); y++) {
      const cells = into.rows.get(y) ?? [];
      for (let x = column; x < column + Math.min(wide, MAX_REPEAT); x++) cells[x] = value;
      into.rows.set(y, cells);
    }
  }
  if (formula === undefined) return;
  const down = parseRepeat(attributes['table:number-matrix-rows-spanned']);
  const across = parseRepeat(attributes['table:number-matrix-columns-spanned']);
  const isArray = attributes['table:number-matrix-rows-spanned'] !== undefined;
  const fills = isArray ? { bottom: row + down - 1, right: column + across - 1 } : undefined;
  into.formulas.push({
    row,
    column,
    formula,
    fills,
    hidden,
    show: createFormatter(attributes['office:value-type']),
  });
}

/**
 * Reads the text of a cell as runs. Returns `undefined` for a cell without subscripts and superscripts, whose
 * text needs no runs.
 */
function readCellRuns(cell: XmlElement, style: OdfPackage['style']): Run[] | undefined {
  const runs: Run[] = [];
  const read = (parent: XmlElement, script: Run['script']) => {
    for (const node of parent.children) {
      if (typeof node === 'string') runs.push({ text: node, script });
      else if (node.name !== 'text:span') read(node, script);
      else read(node, style(node.attributes['text:style-name']).script ?? script);
    }
  };
  for (const [at, paragraph] of elements(cell, 'text:p').entries()) {
    if (at > 0) runs.push({ text: '\n' });
    read(paragraph, undefined);
  }
  return runs.some((run) => run.script !== undefined) ? runs : undefined;
}
