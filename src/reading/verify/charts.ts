import type { Block, Word } from '#src/documents/document.ts';
import { type ChartLabels, labelsIn } from './chart-labels.ts';
import type { Support } from './support.ts';
import type { Plain } from './text/plain.ts';
import type { Ids, Token } from './text/tokens.ts';
import type { PicturesRead, UnsupportedKind } from './types.ts';

export interface ChartsCompared {
  plain: Plain;
  output: readonly Token[];
  page: readonly Token[];
  support: readonly Support[];
  pictures: PicturesRead;
  words: readonly Word[] | undefined;
  blocks: readonly Pick<Block, 'box'>[] | undefined;
  ids: Ids;
}

export interface Charts {
  /** For each token whether it stands in a table that was read off a chart. */
  isOfChart: boolean[];
  /** What of them is neither said nor contradicted by the page's text. */
  read: (UnsupportedKind | undefined)[];
}

/** So many values may be off for each printed label that is not among them: more were read off axes. */
const OFF_PER_LABEL = 2;

/**
 * Takes the doubts off tables that were read off charts. What the page's text lacks was read off the picture, unless
 * the chart prints labels that the output lacks: then the output has other values in their place, and stays doubted.
 */
export function settleCharts(compared: ChartsCompared, doubt: (UnsupportedKind | undefined)[]): Charts {
  const { output, pictures } = compared;
  const charts: Charts = { isOfChart: output.map(() => false), read: output.map(() => undefined) };
  if (pictures.areas.length === 0) return charts;
  const told = countsOf(output);
  const onPage = countsOf(compared.page);
  for (const table of tablesOf(compared, doubt)) {
    const { first, end, labels } = table;
    const ticks = countsOf(labels.ticks);
    // Of a table that may be another one of the page, each occurrence counts: both print the value.
    const isLacking = ({ id }: Token) => {
      const due = table.isKnown ? 1 : (onPage.get(id) ?? 0) - (ticks.get(id) ?? 0);
      return (told.get(id) ?? 0) < due;
    };
    const lacking = (tokens: readonly Token[]) => new Set(tokens.filter(isLacking).map(({ id }) => id)).size;
    const off = offIn(compared, table, doubt);
    const headerEnd = headerEndOf(compared, first, end);
    const isWrong = {
      number: isContradicted(
        off.filter((at) => output[at]!.kind === 'number').length,
        lacking(labels.numbers),
      ),
      word: isContradicted(
        off.filter((at) => output[at]!.kind !== 'number' && at >= headerEnd).length,
        lacking(labels.words),
      ),
    };
    const isOff = new Set(off);
    for (let at = first; at < end; at++) {
      charts.isOfChart[at] = true;
      const kind = doubt[at];
      if (!isOff.has(at)) doubt[at] = kind === 'repetition' && !table.isKnown ? kind : undefined;
      else if (output[at]!.kind === 'number' ? isWrong.number : at >= headerEnd && isWrong.word)
        doubt[at] = kind ?? 'number';
      else {
        charts.read[at] = kind ?? 'number';
        doubt[at] = undefined;
      }
    }
  }
  return charts;
}

function countsOf(tokens: readonly Token[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { id } of tokens) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

const isContradicted = (off: number, labels: number) =>
  off > 0 && labels > 0 && off <= OFF_PER_LABEL * labels;

interface Table {
  first: number;
  end: number;
  /** Of the chart, or of all charts of the page where it is not known which one it is. */
  labels: ChartLabels;
  isKnown: boolean;
}

/** Tables that are known to be charts', and those whose numbers the page lacks or prints in its charts. */
function* tablesOf(compared: ChartsCompared, doubt: readonly unknown[]): Generator<Table> {
  const { plain, output, pictures, words, blocks, ids } = compared;
  const all = labelsIn(pictures.areas, words, blocks, ids);
  const printed = new Set(all.numbers.map(({ id }) => id));
  let at = 0;
  for (const { start, end } of plain.tables) {
    while (at < output.length && output[at]!.start < start) at++;
    const first = at;
    let numbers = 0;
    let ofCharts = 0;
    for (; at < output.length && output[at]!.start < end; at++) {
      if (output[at]!.kind !== 'number') continue;
      numbers++;
      if (doubt[at] !== undefined || printed.has(output[at]!.id)) ofCharts++;
    }
    const place = plain.at[start] ?? 0;
    const known = pictures.tables.find((table) => table.start <= place && place < table.end);
    const labels = known?.area ? labelsIn([known.area], words, blocks, ids) : all;
    if (known || ofCharts * 2 > numbers) yield { first, end: at, labels, isKnown: known !== undefined };
  }
}

/** What of a table the page's text has not, or has less often. */
function offIn(
  { output, support }: ChartsCompared,
  { first, end, isKnown }: Table,
  doubt: readonly (UnsupportedKind | undefined)[],
): number[] {
  const off: number[] = [];
  for (let at = first; at < end; at++) {
    const isDoubted = !isKnown && output[at]!.kind === 'number' && doubt[at] !== 'repetition' && doubt[at];
    if (isDoubted || (support[at] === 'not at all' && doubt[at] !== undefined)) off.push(at);
  }
  return off;
}

/** The first token of the second row. */
function headerEndOf({ plain, output }: ChartsCompared, first: number, end: number): number {
  for (let at = first + 1; at < end; at++) {
    if (plain.text.slice(output[at - 1]!.end, output[at]!.start).includes('\n')) return at;
  }
  return end;
}
