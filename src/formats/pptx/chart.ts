import { checkTableSize } from '#src/formats/shared/flow/grid.ts';
import type { Rendered } from '#src/formats/shared/flow/runs.ts';
import { child, descendants, elements, textOf, type XmlElement } from '#src/text-formats/xml.ts';

const cell = (text: string): Rendered => ({ text, markdown: text });

/** The cached points of a series part, by index. */
function points(parent: XmlElement | undefined): string[] {
  const values: string[] = [];
  for (const point of descendants(parent, 'c:pt')) {
    const index = Number(point.attributes.idx);
    if (index >= 0 && index < 10_000) values[index] = textOf(child(point, 'c:v')).trim();
  }
  return values;
}

export interface ChartData {
  title: string;
  rows: Rendered[][];
}

/** A chart's cached data as a table: categories down, one column a series. */
export function readChart(root: XmlElement | undefined): ChartData | undefined {
  const chart = child(root, 'c:chart');
  const series = descendants(child(chart, 'c:plotArea'), 'c:ser');
  if (series.length === 0) return undefined;
  const title = descendants(child(chart, 'c:title'), 'a:t').map(textOf).join('').trim();
  const columns = series.map((one) => ({
    name: points(child(one, 'c:tx'))[0] ?? textOf(child(one, 'c:tx', 'c:v')),
    categories: points(child(one, 'c:cat') ?? child(one, 'c:xVal')),
    values: points(child(one, 'c:val') ?? child(one, 'c:yVal')),
  }));
  const categories = columns.map((one) => one.categories).find((one) => one.length > 0) ?? [];
  const height = columns.reduce((most, one) => Math.max(most, one.values.length), categories.length);
  checkTableSize(height, columns.length + 1);
  const rows = [[cell(''), ...columns.map((one, index) => cell(one.name || `Series ${index + 1}`))]];
  for (let at = 0; at < height; at++) {
    rows.push([cell(categories[at] ?? ''), ...columns.map((one) => cell(one.values[at] ?? ''))]);
  }
  return elements(chart).length > 0 && height > 0 ? { title, rows } : undefined;
}
