import { plainNumber } from '#src/formats/shared/sheets/cell-format.ts';
import { getOwn } from '#src/lib/get-own.ts';
import { child, descendants, elements, getTextContent, type XmlElement } from '#src/text-formats/xml.ts';
import { type Chart, type ChartSeries, MAX_GROUP_NAME, MAX_POINTS, MAX_SERIES } from './chart.ts';

/** Chart types of Office 2016, which are stored in a format of their own. */
const KINDS: Record<string, string> = {
  boxWhisker: 'box plot',
  clusteredColumn: 'histogram',
  paretoLine: 'Pareto chart',
  regionMap: 'map chart',
};

const MAX_LEVELS = 8;

const readText = (parent: XmlElement | undefined) =>
  descendants(parent, 't').map(getTextContent).join('').trim() ||
  getTextContent(child(parent, 'txData', 'v')).trim();

/** Reads a chart of the type "chartex", such as a waterfall or a histogram. */
export function readExtendedChart(root: XmlElement | undefined): Chart | undefined {
  const chart = child(root, 'chart');
  const data = new Map(elements(child(root, 'chartData'), 'data').map((one) => [one.attributes.id, one]));
  const stored = elements(child(chart, 'plotArea', 'plotAreaRegion'), 'series');
  const shown = stored.slice(0, MAX_SERIES);
  const series = shown.flatMap((one): ChartSeries[] => {
    const source = data.get(child(one, 'dataId')?.attributes.val);
    return source ? [{ name: readText(child(one, 'tx')), ...readData(source) }] : [];
  });
  if (!series.some(({ values }) => values.size > 0)) return undefined;
  const kinds = shown.map(
    ({ attributes: { layoutId = '' } }) => getOwn(KINDS, layoutId) ?? `${layoutId} chart`,
  );
  const titles = elements(child(chart, 'plotArea'), 'axis').map((axis) => ({
    text: readText(child(axis, 'title', 'tx')),
    isCategory: child(axis, 'catScaling') !== undefined,
  }));
  const find = (isCategory: boolean) =>
    titles.find((one) => one.text !== '' && one.isCategory === isCategory)?.text ?? '';
  return {
    kind: [...new Set(kinds)].join(' and ').trim(),
    title: readText(child(chart, 'title', 'tx')),
    categoryTitle: find(true),
    valueTitle: find(false),
    series,
    unreadSeries: stored.length - shown.length,
  };
}

function readData(data: XmlElement): Pick<ChartSeries, 'categories' | 'values'> {
  const categories = new Map<number, string>();
  // The levels of a hierarchy are stored from the innermost to the outermost.
  const levels = elements(child(data, 'strDim'), 'lvl').slice(0, MAX_LEVELS).toReversed();
  for (const level of levels) {
    for (const [index, text] of readLevel(level)) {
      const outer = categories.get(index);
      categories.set(index, outer ? `${outer.slice(0, MAX_GROUP_NAME)} / ${text}` : text);
    }
  }
  const values = new Map<number, string>();
  for (const [index, text] of readLevel(child(data, 'numDim', 'lvl'))) {
    const number = Number(text);
    values.set(index, text === '' || Number.isNaN(number) ? text : plainNumber(number));
  }
  return { categories, values };
}

function readLevel(level: XmlElement | undefined): [index: number, text: string][] {
  return elements(level, 'pt').flatMap((point): [number, string][] => {
    const index = Number(point.attributes.idx);
    const text = getTextContent(point).trim();
    return index >= 0 && index < MAX_POINTS && text !== '' ? [[index, text]] : [];
  });
}
