import type { Block, Word } from '#src/documents/document.ts';
import { type ChartLabels, findChartLabels } from './chart-labels.ts';
import type { Support } from './support.ts';
import type { PlainText } from './text/strip-markup.ts';
import type { Ids, Token } from './text/tokens.ts';
import type { PicturesRead, UnsupportedKind } from './types.ts';

export interface ChartComparison {
  plain: PlainText;
  output: readonly Token[];
  page: readonly Token[];
  support: readonly Support[];
  pictures: PicturesRead;
  words: readonly Word[] | undefined;
  blocks: readonly Pick<Block, 'box'>[] | undefined;
  ids: Ids;
}

export interface Charts {
  /** For each token of the model's output, whether it belongs to a table that was read from a chart. */
  isInChart: boolean[];
  /**
   * For each token of the model's output, the kind of a value read from a chart. The page's text neither
   * confirms nor contradicts such values.
   */
  read: (UnsupportedKind | undefined)[];
}

/**
 * Maximum number of unprinted values per missing label that still counts as a contradiction. More unprinted
 * values per label were probably read from the axes.
 */
const MAX_UNPRINTED_PER_LABEL = 2;

/**
 * Clears doubts about tables that the model read from charts, because charts do not print all their values.
 * Doubts remain if the output lacks labels that the chart prints. Wrong values were then probably written in
 * place of these labels.
 */
export function resolveChartDoubts(
  compared: ChartComparison,
  doubt: (UnsupportedKind | undefined)[],
): Charts {
  const { output, pictures } = compared;
  const charts: Charts = { isInChart: output.map(() => false), read: output.map(() => undefined) };
  if (pictures.areas.length === 0) return charts;
  const outputCounts = countById(output);
  const pageCounts = countById(compared.page);
  for (const table of listChartTables(compared, doubt)) {
    const { first, end, labels } = table;
    const ticks = countById(labels.ticks);
    // A table that is not known to come from a chart may be another table on the page. Chart and table then
    // both print the value, so each occurrence counts.
    const isLacking = ({ id }: Token) => {
      const due = table.isKnown ? 1 : (pageCounts.get(id) ?? 0) - (ticks.get(id) ?? 0);
      return (outputCounts.get(id) ?? 0) < due;
    };
    const lacking = (tokens: readonly Token[]) => new Set(tokens.filter(isLacking).map(({ id }) => id)).size;
    const unprintedIndexes = listUnprintedValues(compared, table, doubt);
    const headerEnd = findHeaderEnd(compared, first, end);
    const isWrong = {
      number: isContradicted(
        unprintedIndexes.filter((at) => output[at]!.kind === 'number').length,
        lacking(labels.numbers),
      ),
      word: isContradicted(
        unprintedIndexes.filter((at) => output[at]!.kind !== 'number' && at >= headerEnd).length,
        lacking(labels.words),
      ),
    };
    const unprinted = new Set(unprintedIndexes);
    for (let at = first; at < end; at++) {
      charts.isInChart[at] = true;
      const kind = doubt[at];
      if (!unprinted.has(at)) doubt[at] = kind === 'repetition' && !table.isKnown ? kind : undefined;
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

function countById(tokens: readonly Token[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { id } of tokens) counts.set(id, (counts.get(id) ?? 0) + 1);
  return counts;
}

const isContradicted = (unprinted: number, labels: number) =>
  unprinted > 0 && labels > 0 && unprinted <= MAX_UNPRINTED_PER_LABEL * labels;

interface Table {
  first: number;
  end: number;
  /**
   * Labels of the chart from which the table was read. If that chart is not known, the labels of all charts
   * on the page.
   */
  labels: ChartLabels;
  isKnown: boolean;
}

/**
 * Yields the tables that are known to come from a chart. Also yields tables whose numbers are mostly doubtful
 * or printed inside charts.
 */
function* listChartTables(compared: ChartComparison, doubt: readonly unknown[]): Generator<Table> {
  const { plain, output, pictures, words, blocks, ids } = compared;
  const all = findChartLabels(pictures.areas, words, blocks, ids);
  const printed = new Set(all.numbers.map(({ id }) => id));
  let at = 0;
  for (const { start, end } of plain.tables) {
    while (at < output.length && output[at]!.start < start) at++;
    const first = at;
    let numbers = 0;
    let chartNumbers = 0;
    for (; at < output.length && output[at]!.start < end; at++) {
      if (output[at]!.kind !== 'number') continue;
      numbers++;
      if (doubt[at] !== undefined || printed.has(output[at]!.id)) chartNumbers++;
    }
    const place = plain.at[start] ?? 0;
    const known = pictures.tables.find((table) => table.start <= place && place < table.end);
    const labels = known?.area ? findChartLabels([known.area], words, blocks, ids) : all;
    if (known || chartNumbers * 2 > numbers) yield { first, end: at, labels, isKnown: known !== undefined };
  }
}

/** Returns the indexes of those table tokens that the page's text lacks or contains less often. */
function listUnprintedValues(
  { output, support }: ChartComparison,
  { first, end, isKnown }: Table,
  doubt: readonly (UnsupportedKind | undefined)[],
): number[] {
  const unprintedIndexes: number[] = [];
  for (let at = first; at < end; at++) {
    const isDoubted = !isKnown && output[at]!.kind === 'number' && doubt[at] !== 'repetition' && doubt[at];
    if (isDoubted || (support[at] === 'absent' && doubt[at] !== undefined)) unprintedIndexes.push(at);
  }
  return unprintedIndexes;
}

function findHeaderEnd({ plain, output }: ChartComparison, first: number, end: number): number {
  for (let at = first + 1; at < end; at++) {
    if (plain.text.slice(output[at - 1]!.end, output[at]!.start).includes('\n')) return at;
  }
  return end;
}
