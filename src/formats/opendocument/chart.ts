import type { Box } from '#src/documents/document.ts';
import { writeChartTable } from '#src/formats/shared/charts/chart.ts';
import type { Flow } from '#src/formats/shared/flow/flow.ts';
import { plainNumber } from '#src/formats/shared/sheets/cell-format.ts';
import { child, elements, getTextContent, type XmlElement } from '#src/text-formats/xml.ts';
import { odfRows } from './rows.ts';

const KINDS: Record<string, string> = {
  bar: 'column chart',
  line: 'line chart',
  area: 'area chart',
  circle: 'pie chart',
  ring: 'doughnut chart',
  scatter: 'scatter chart',
  bubble: 'bubble chart',
  radar: 'radar chart',
  'filled-radar': 'radar chart',
  stock: 'stock chart',
  surface: 'surface chart',
  gantt: 'Gantt chart',
};

const MAX_ROWS = 60_000;
const MAX_COLUMNS = 1_000;

const readTitle = (parent: XmlElement | undefined) =>
  elements(child(parent, 'chart:title'))
    .map((line) => getTextContent(line).trim())
    .filter((line) => line !== '')
    .join(' ');

/** Writes a chart from the table that it contains. The first row of the table names the series. */
export function writeOdfChart(flow: Flow, chart: XmlElement, box?: Box): void {
  const plot = child(chart, 'chart:plot-area');
  const axisTitle = (dimension: string) =>
    elements(plot, 'chart:axis')
      .filter((axis) => axis.attributes['chart:dimension'] === dimension)
      .map(readTitle)
      .filter((title) => title !== '')
      .join(', ');
  const { rows, unread } = readRows(child(chart, 'table:table'));
  const header = rows[0];
  if (header && header[0] === '') header[0] = axisTitle('x');
  const kind = KINDS[(chart.attributes['chart:class'] ?? '').replace(/^chart:/, '')] ?? 'chart';
  const title = readTitle(chart);
  if (unread > 0) {
    const message = `The chart ${title || kind} has too many values: ${unread} rows or columns are not read.`;
    flow.omit({ kind: 'too_large', message });
  }
  writeChartTable(flow, { kind, title, valueTitle: axisTitle('y') }, rows, box);
}

/** Reads the cells of the table by row. `unread` is the number of rows and columns beyond the limits. */
function readRows(table: XmlElement | undefined): { rows: string[][]; unread: number } {
  const stored = table ? odfRows(table) : [];
  let unread = Math.max(0, stored.length - MAX_ROWS);
  const rows = stored.slice(0, MAX_ROWS).map((row, at) => {
    const cells = elements(row, 'table:table-cell');
    if (at === 0) unread += Math.max(0, cells.length - MAX_COLUMNS);
    return cells.slice(0, MAX_COLUMNS).map(readCell);
  });
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const filled = rows.filter((row, at) => at === 0 || row.some((cell) => cell !== ''));
  // A wide row among many short ones must not multiply the table, so short rows are not filled up.
  const [header = [], ...others] = filled;
  const shown = [[...header, ...new Array<string>(width - header.length).fill('')], ...others];
  return { rows: filled.length === 0 ? [] : shown, unread };
}

function readCell(cell: XmlElement): string {
  const text = elements(cell, 'text:p').map(getTextContent).join(' ').trim();
  const value = cell.attributes['office:value'];
  if (value === undefined) return text;
  // The text of a number may be rounded or written with many digits.
  return plainNumber(Number(value));
}
