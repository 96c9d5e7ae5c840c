import type { OoxmlPackage } from '#src/formats/shared/containers/ooxml-package.ts';
import { formatNumber } from '#src/formats/shared/sheets/cell-format.ts';
import { getOwn } from '#src/lib/get-own.ts';
import {
  child,
  descendants,
  elements,
  getTextContent,
  parseXml,
  type XmlElement,
} from '#src/text-formats/xml.ts';
import { type Chart, type ChartSeries, MAX_GROUP_NAME, MAX_POINTS, MAX_SERIES } from './chart.ts';
import { readExtendedChart } from './extended-chart.ts';

const KINDS: Record<string, string> = {
  barChart: 'column chart',
  lineChart: 'line chart',
  pieChart: 'pie chart',
  ofPieChart: 'pie chart',
  doughnutChart: 'doughnut chart',
  areaChart: 'area chart',
  scatterChart: 'scatter chart',
  bubbleChart: 'bubble chart',
  radarChart: 'radar chart',
  stockChart: 'stock chart',
  surfaceChart: 'surface chart',
};

/** Longer number formats are ignored, because each point of a chart may repeat them. */
const MAX_FORMAT_LENGTH = 255;
const MAX_CATEGORY_LEVELS = 8;

const value = (element: XmlElement | undefined) => element?.attributes.val;

/** Returns the paragraphs of a text body as lines joined with spaces. */
export function readDrawingText(body: XmlElement | undefined): string {
  return descendants(body, 'p')
    .map((paragraph) => descendants(paragraph, 't').map(getTextContent).join('').trim())
    .filter((line) => line !== '')
    .join(' ');
}

/**
 * Reads a chart part of an Office Open XML file from the values that are stored in the part. Returns
 * `undefined` if the part has no values.
 */
export function readDrawingChart(opened: OoxmlPackage, part: string): Chart | undefined {
  const root = parseXml(opened.archive.text(part), { local: true });
  const chart = child(root, 'chart');
  if (child(root, 'chartData')) return readExtendedChart(root);
  const plot = child(chart, 'plotArea');
  const groups = elements(plot).filter(({ name }) => name.endsWith('Chart'));
  const date1904 = ['1', 'true'].includes(value(child(root, 'date1904')) ?? '');
  const stored = groups.flatMap((group) => elements(group, 'ser'));
  const series = stored.slice(0, MAX_SERIES).map((one) => readSeries(one, date1904));
  if (!series.some(({ values }) => values.size > 0)) return undefined;
  return {
    kind: [...new Set(groups.map(nameKind))].join(' and '),
    title: readTitle(chart),
    ...readAxisTitles(plot),
    series,
    unreadSeries: stored.length - series.length,
    notes: readShapesOverChart(opened, part),
  };
}

function nameKind(group: XmlElement): string {
  if (group.name.startsWith('bar') && value(child(group, 'barDir')) === 'bar') return 'bar chart';
  return getOwn(KINDS, group.name.replace('3D', '')) ?? 'chart';
}

function readTitle(parent: XmlElement | undefined): string {
  const text = child(parent, 'title', 'tx');
  const rich = readDrawingText(child(text, 'rich'));
  return rich || (readTexts(child(text, 'strRef', 'strCache')).get(0) ?? '');
}

/** The axis of the categories has a type of its own. In scatter charts both axes have values. */
function readAxisTitles(plot: XmlElement | undefined): { categoryTitle: string; valueTitle: string } {
  const axes = elements(plot).filter(({ name }) => name.endsWith('Ax'));
  const hasCategories = axes.some(({ name }) => name === 'catAx' || name === 'dateAx');
  const isCategory = (axis: XmlElement) =>
    hasCategories
      ? axis.name === 'catAx' || axis.name === 'dateAx'
      : ['b', 't'].includes(value(child(axis, 'axPos')) ?? '');
  const join = (found: XmlElement[]) => [...new Set(found.map(readTitle))].filter(Boolean).join(', ');
  return {
    categoryTitle: join(axes.filter(isCategory)),
    valueTitle: join(axes.filter((axis) => !isCategory(axis))),
  };
}

function readSeries(series: XmlElement, date1904: boolean): ChartSeries {
  const name = child(series, 'tx');
  const sizes = child(series, 'bubbleSize');
  const categories = child(series, 'cat') ?? child(series, 'xVal');
  const values = readPoints(child(series, 'val') ?? child(series, 'yVal'), date1904);
  for (const [index, label] of readLabels(series)) {
    const shown = values.get(index);
    if (shown !== undefined && shown !== label) values.set(index, `${shown} (${label})`);
  }
  return {
    name: readTexts(child(name, 'strRef', 'strCache')).get(0) ?? getTextContent(child(name, 'v')).trim(),
    categories: readPoints(categories, date1904),
    values,
    ...(sizes && { sizes: readPoints(sizes, date1904) }),
  };
}

/** Returns the labels that an author wrote for single points. */
function readLabels(series: XmlElement): [index: number, label: string][] {
  return elements(child(series, 'dLbls'), 'dLbl').flatMap((label): [number, string][] => {
    const text = readDrawingText(child(label, 'tx', 'rich'));
    // Labels with fields repeat values that are read anyway.
    return text === '' || /\[[A-Z ]+\]/.test(text) ? [] : [[Number(value(child(label, 'idx'))), text]];
  });
}

/** Reads stored texts or numbers, whose source may be a reference or a literal list. */
function readPoints(parent: XmlElement | undefined, date1904: boolean): Map<number, string> {
  const levels = elements(child(parent, 'multiLvlStrRef', 'multiLvlStrCache'), 'lvl');
  if (levels.length > 0)
    return joinLevels(levels.slice(0, MAX_CATEGORY_LEVELS).map((level) => readTexts(level)));
  const numbers = child(parent, 'numRef', 'numCache') ?? child(parent, 'numLit');
  if (!numbers) return readTexts(child(parent, 'strRef', 'strCache') ?? child(parent, 'strLit'));
  const common = getTextContent(child(numbers, 'formatCode'));
  return readTexts(numbers, (text, point) => {
    const format = point.attributes.formatCode ?? common;
    const number = Number(text);
    if (text === '' || Number.isNaN(number)) return text === '#N/A' ? '' : text;
    return formatNumber(number, format.length > MAX_FORMAT_LENGTH ? 'General' : format, date1904);
  });
}

function readTexts(
  parent: XmlElement | undefined,
  show: (text: string, point: XmlElement) => string = (text) => text,
): Map<number, string> {
  const texts = new Map<number, string>();
  for (const point of elements(parent, 'pt')) {
    const index = Number(point.attributes.idx);
    if (!(index >= 0 && index < MAX_POINTS)) continue;
    texts.set(index, show(getTextContent(child(point, 'v')).trim(), point));
  }
  return texts;
}

/**
 * Joins the levels of categories, of which the innermost comes first. An outer category covers all points up
 * to the next one.
 */
function joinLevels([inner = new Map<number, string>(), ...outer]: Map<number, string>[]): Map<
  number,
  string
> {
  const joined = new Map<number, string>();
  const current = outer.map(() => '');
  for (const index of [...inner.keys()].sort((a, b) => a - b)) {
    for (const [level, texts] of outer.entries()) {
      current[level] = texts.get(index)?.slice(0, MAX_GROUP_NAME) ?? current[level]!;
    }
    joined.set(index, [...current.toReversed(), inner.get(index)!].filter(Boolean).join(' / '));
  }
  return joined;
}

function readShapesOverChart(opened: OoxmlPackage, part: string): string[] {
  const shapes = [...opened.relationships(part).values()].find(({ type }) => type === 'chartUserShapes');
  if (!shapes || shapes.external) return [];
  const root = parseXml(opened.archive.text(shapes.target), { local: true });
  return descendants(root, 'txBody').map(readDrawingText).filter(Boolean);
}
