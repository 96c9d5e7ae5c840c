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
  const rows = readRows(child(chart, 'table:table'));
  const header = rows[0];
  if (header && header[0] === '') header[0] = axisTitle('x');
  const kind = (chart.attributes['chart:class'] ?? '').replace(/^chart:/, '');
  writeChartTable(
    flow,
    { kind: KINDS[kind] ?? 'chart', title: readTitle(chart), valueTitle: axisTitle('y') },
    rows,
    box,
  );
}

function readRows(table: XmlElement | undefined): string[][] {
  if (!table) return [];
  const rows = odfRows(table)
    .slice(0, MAX_ROWS)
    .map((row) => elements(row, 'table:table-cell').slice(0, MAX_COLUMNS).map(readCell));
  const width = rows.reduce((most, row) => Math.max(most, row.length), 0);
  const filled = rows.filter((row, at) => at === 0 || row.some((cell) => cell !== ''));
  // A wide row among many short ones must not multiply the table, so short rows are not filled up.
  return filled.map((row, at) =>
    at === 0 ? [...row, ...new Array<string>(width - row.length).fill('')] : row,
  );
}

function readCell(cell: XmlElement): string {
  const text = elements(cell, 'text:p').map(getTextContent).join(' ').trim();
  const value = cell.attributes['office:value'];
  if (value === undefined) return text;
  // The text of a number may be rounded or written with many digits.
  return plainNumber(Number(value));
}
