import type { Box } from '#src/documents/document.ts';
import type { Flow } from '#src/formats/shared/flow/flow.ts';
import type { Rendered } from '#src/formats/shared/flow/runs.ts';

export interface ChartSeries {
  name: string;
  /** Categories of the points, or their x values, by the 0-based index of the point. */
  categories: ReadonlyMap<number, string>;
  values: ReadonlyMap<number, string>;
  /** Sizes of the bubbles of a bubble chart. */
  sizes?: ReadonlyMap<number, string>;
}

/** Content of a chart. The texts are empty if the chart does not have them. */
export interface Chart {
  /** Type of the chart in words, such as 'column chart'. */
  kind: string;
  title: string;
  categoryTitle: string;
  valueTitle: string;
  series: readonly ChartSeries[];
  /** Number of series beyond `MAX_SERIES`, which are not read. */
  unreadSeries?: number;
  /** Texts that are drawn over the chart. */
  notes?: readonly string[];
}

/** Upper limit of the index of a point. More points are never shown, because a chart has at most `MAX_CELLS` cells. */
export const MAX_POINTS = 60_000;
/** Maximum number of series of a chart that are read. Spreadsheet programs allow 255. */
export const MAX_SERIES = 1_000;
/** Maximum length of the name of a group of categories. Each category of the group repeats the name. */
export const MAX_GROUP_NAME = 200;
/** Maximum number of cells of the table that a chart becomes. The rows beyond this limit are left out. */
const MAX_CELLS = 50_000;

const toCell = (text: string): Rendered => ({ text, markdown: text });

/** Writes a chart as a caption and a table of its values. Does nothing if the chart has no values. */
export function writeChart(flow: Flow, chart: Chart, box?: Box): void {
  const { title, kind, unreadSeries = 0 } = chart;
  if (unreadSeries > 0) {
    const message = `The chart ${title || kind} has too many series: ${unreadSeries} of them are not read.`;
    flow.omit({ kind: 'too_large', message });
  }
  const rows = haveSameCategories(chart.series) ? layOutByCategory(chart) : layOutByPoint(chart);
  writeChartTable(flow, chart, rows, box);
}

/** Writes the caption of a chart above a table whose first row is the header. */
export function writeChartTable(
  flow: Flow,
  { kind, title, valueTitle, notes = [] }: Omit<Chart, 'series' | 'categoryTitle'>,
  rows: readonly (readonly string[])[],
  box?: Box,
): void {
  const columns = rows[0]?.length ?? 0;
  if (rows.length < 2 || columns === 0) return;
  const name = title === '' ? '' : `${title} `;
  const description = valueTitle === '' ? kind : `${kind}; values: ${valueTitle}`;
  const first = description.charAt(0).toUpperCase() + description.slice(1);
  flow.paragraph(
    name === '' ? [{ text: first, bold: true }] : [{ text: name, bold: true }, { text: `(${description})` }],
  );
  const shown = rows.slice(0, Math.max(2, Math.floor(MAX_CELLS / columns)));
  if (shown.length < rows.length) {
    const left = rows.length - shown.length;
    const message = `The chart ${title || kind} has too many values: ${left} of its points are not read.`;
    flow.omit({ kind: 'too_large', message });
  }
  flow.table(
    shown.map((row) => row.map(toCell)),
    box,
  );
  for (const note of notes) flow.paragraph([{ text: note }]);
}

function haveSameCategories(series: readonly ChartSeries[]): boolean {
  const named = series.filter(({ categories }) => categories.size > 0);
  const [first] = named;
  if (series.some(({ sizes }) => sizes !== undefined)) return false;
  return named.every(
    ({ categories }) =>
      categories.size === first!.categories.size &&
      [...categories].every(([index, text]) => first!.categories.get(index) === text),
  );
}

const lastIndex = (points: ReadonlyMap<number, string>) => {
  let last = -1;
  for (const index of points.keys()) if (index > last) last = index;
  return last;
};

const nameSeries = ({ name }: ChartSeries, index: number) => name || `Series ${index + 1}`;

function layOutByCategory({ categoryTitle, series }: Chart): string[][] {
  const categories = series.find((one) => one.categories.size > 0)?.categories ?? new Map<number, string>();
  const used = new Set<number>([...categories.keys()]);
  for (const one of series) for (const index of one.values.keys()) used.add(index);
  const rows = [[categoryTitle, ...series.map(nameSeries)]];
  const height = Math.floor(MAX_CELLS / (series.length + 1)) + 2;
  for (const index of [...used].sort((a, b) => a - b)) {
    // Rows beyond the limit are only counted, so they stay empty.
    if (rows.length > height) {
      rows.push([]);
      continue;
    }
    const values = series.map((one) => one.values.get(index) ?? '');
    if (values.some((value) => value !== '')) rows.push([categories.get(index) ?? '', ...values]);
  }
  return rows;
}

/** Lays out one row per point, for series whose points have x values of their own. */
function layOutByPoint({ categoryTitle, valueTitle, series }: Chart): string[][] {
  const hasSizes = series.some(({ sizes }) => sizes !== undefined);
  const rows = [['Series', categoryTitle || 'x', valueTitle || 'y', ...(hasSizes ? ['Size'] : [])]];
  for (const [at, one] of series.entries()) {
    const count = Math.max(lastIndex(one.values), lastIndex(one.categories)) + 1;
    for (let index = 0; index < count; index++) {
      const [x = '', y = ''] = [one.categories.get(index), one.values.get(index)];
      if (x === '' && y === '') continue;
      rows.push([nameSeries(one, at), x, y, ...(hasSizes ? [one.sizes?.get(index) ?? ''] : [])]);
    }
  }
  return rows;
}
