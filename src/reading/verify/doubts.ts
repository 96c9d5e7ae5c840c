import type { Charts } from './charts.ts';
import type { Evidence } from './confidence.ts';
import type { DateMention } from './dates.ts';
import { inventedIn } from './invented.ts';
import { misplacedIn } from './misplaced.ts';
import type { Support } from './support.ts';
import { surplusOf } from './surplus.ts';
import { identifiersOf, isTogether } from './text/identifiers.ts';
import type { Plain } from './text/plain.ts';
import { repeatedIn } from './text/repetition.ts';
import type { TokenIndex } from './text/token-index.ts';
import type { Token } from './text/tokens.ts';
import type { MisplacedSpan, Span, UnsupportedKind } from './types.ts';

/** Longer and shorter ones are not asked: the former are rare, the latter parts of anything. */
const SHORTEST = 4;

const LONGEST = 24;

export interface Compared {
  markdown: string;
  plain: Plain;
  output: readonly Token[];
  page: readonly Token[];
  orders: readonly (readonly Token[])[];
  pageIndex: TokenIndex;
  support: readonly Support[];
  dates: { output: readonly DateMention[]; page: readonly DateMention[] };
  /** More than any id. */
  width: number;
  language: string | undefined;
  isRecognised: boolean;
  /** Takes the doubts off what was read off charts. */
  settleCharts(doubt: (UnsupportedKind | undefined)[]): Charts;
}

export interface Doubts {
  spans: Span[];
  misplaced: MisplacedSpan[];
  readFromPictures: Span[];
  evidence: Omit<Evidence, 'longestMissing' | 'missingShare' | 'missingValues' | 'missingValueShare'>;
}

/** All that is to be doubted of an output, each token once and by its gravest reason. */
export function doubtsOf(compared: Compared): Doubts {
  const { output, support } = compared;
  const doubt = new Array<UnsupportedKind | undefined>(output.length);
  const isExempt = ownNumbers(compared);
  for (const date of toldDates(compared)) isExempt.fill(true, date.first, date.end);
  output.forEach((token, index) => {
    if (support[index] === 'not at all' && !isExempt[index]) doubt[index] = kindOf(token);
  });
  addTooMany(compared, doubt, isExempt);
  addIdentifiers(compared, doubt);
  addDates(compared, doubt);
  addStretches(compared, doubt);
  const charts = compared.settleCharts(doubt);
  // The order in which a chart's labels stand on the page says nothing of its values.
  charts.isOfChart.forEach((isOfChart, index) => {
    isExempt[index] ||= isOfChart;
  });
  const misplaced = misplacedOf(compared, doubt, isExempt);
  const values = ['number', 'date', 'identifier'];
  const count = (kinds: readonly string[]) => doubt.filter((kind) => kind && kinds.includes(kind)).length;
  const invented = count(['text', 'language']);
  return {
    spans: spansOf(compared, doubt),
    misplaced,
    readFromPictures: spansOf(compared, charts.read),
    evidence: {
      values: count(values) + misplaced.filter(({ kind }) => values.includes(kind)).length,
      names: count(['name']) + misplaced.filter(({ kind }) => kind === 'name').length,
      invented,
      inventedShare: invented / Math.max(1, output.length),
      repeated: count(['repetition']),
    },
  };
}

function kindOf(token: Token): UnsupportedKind | undefined {
  if (token.kind === 'number') return 'number';
  if (token.kind === 'mixed') return 'identifier';
  if (token.kind === 'word' && token.letters.length < 2) return undefined;
  return token.isCapital ? 'name' : 'text';
}

/** Numbers of items and headings that the page has without a number: a model numbered them, or wrote 1 for each. */
function ownNumbers({ output, plain, page }: Compared): boolean[] {
  const numbered = new Set<number>();
  for (let index = 1; index < page.length; index++) {
    if (page[index - 1]!.kind === 'number') numbered.add(page[index]!.id);
  }
  const isOwn = new Array<boolean>(output.length).fill(false);
  for (let index = output.length - 1; index >= 0; index--) {
    const token = output[index]!;
    if (!plain.markers.has(token.start)) continue;
    const next = output[index + 1];
    isOwn[index] =
      token.key === '1' ||
      next === undefined ||
      (plain.markers.has(next.start) && !next.isFirst ? isOwn[index + 1]! : !numbered.has(next.id));
  }
  return isOwn;
}

/** Numbers that stand more often than on the page; as part of a stretch of it, they are repeated. */
function addTooMany(compared: Compared, doubt: (UnsupportedKind | undefined)[], isExempt: boolean[]) {
  const { output, support, pageIndex, page, isRecognised } = compared;
  const counted = support.map((each, index): Support => (isExempt[index] ? 'otherwise' : each));
  const isValue = (token: Token) => token.kind === 'number' || (token.kind === 'mixed' && !isRecognised);
  const surplus = surplusOf(output, counted, pageIndex, isValue);
  const inPieces = occurrencesIn(
    page,
    surplus.flatMap(({ index }) => (isSplit(output[index]!) ? output[index]!.letters : [])),
  );
  const told = new Map<string, number>();
  for (const { letters } of output)
    if (inPieces.has(letters)) told.set(letters, (told.get(letters) ?? 0) + 1);
  for (const { index, neighbours } of surplus) {
    const { letters } = output[index]!;
    // The page has it as often, in pieces or joined to what stands beside it.
    if ((told.get(letters) ?? 1) <= (inPieces.get(letters) ?? 0)) continue;
    // An engine loses some of the occurrences.
    if (isRecognised && neighbours > 0) continue;
    doubt[index] ??=
      neighbours === 2 ? 'repetition' : output[index]!.kind === 'number' ? 'number' : 'identifier';
  }
  repeatedIn(output, page).forEach((isRepeated, index) => {
    if (isRepeated) doubt[index] ??= 'repetition';
  });
}

/** Digits alone stand in longer numbers by chance. */
const isSplit = ({ kind }: Token) => kind === 'mixed';

function addIdentifiers(
  { plain, output, pageIndex, isRecognised }: Compared,
  doubt: (UnsupportedKind | undefined)[],
) {
  for (const identifier of identifiersOf(plain.text, output)) {
    let isDoubted = false;
    for (let at = identifier.first; at < identifier.end; at++) {
      if (doubt[at] !== undefined && doubt[at] !== 'repetition') isDoubted = true;
    }
    if (!isDoubted && (isRecognised || isTogether(identifier, pageIndex))) continue;
    for (let at = identifier.first; at < identifier.end; at++) doubt[at] = 'identifier';
  }
}

/** Dates of the output that the page has, in whatever form. */
function toldDates({ dates }: Compared): DateMention[] {
  const days = new Set(dates.page.flatMap((date) => date.days));
  return dates.output.filter((date) => date.days.some((day) => days.has(day)));
}

/** A date that the page has, written otherwise, is no doubt; one that it has not is, though it has the parts. */
function addDates(compared: Compared, doubt: (UnsupportedKind | undefined)[]) {
  const { dates, output, pageIndex, support, isRecognised } = compared;
  // The name of a month, in which an engine took a letter for another
  const isMisread = (at: number) =>
    isRecognised && support[at] === 'otherwise' && output[at]!.kind !== 'number';
  const told = new Set(toldDates(compared));
  for (const date of dates.output) {
    const isTold = told.has(date);
    const letters = output.slice(date.first, date.end).map((token) => token.letters);
    const isRun = pageIndex.hasRun(letters.join(''));
    let isAsPrinted = true;
    for (let at = date.first; at < date.end; at++) {
      if (doubt[at] !== undefined && doubt[at] !== 'repetition') isAsPrinted = false;
      const isNext = at === date.first || isMisread(at) || isMisread(at - 1);
      if (!isRun && !isNext && !pageIndex.hasPair(output[at - 1], output[at])) isAsPrinted = false;
    }
    for (let at = date.first; at < date.end; at++) {
      if (isTold && doubt[at] !== 'repetition') doubt[at] = undefined;
      else if (!isTold && !isAsPrinted) doubt[at] = 'date';
    }
  }
}

function addStretches(compared: Compared, doubt: (UnsupportedKind | undefined)[]) {
  const { plain, output, support, pageIndex, language } = compared;
  for (const { first, end, kind } of inventedIn(plain.text, output, support, pageIndex, language)) {
    for (let at = first; at < end; at++) doubt[at] ??= kind;
    for (let at = first; at < end; at++) if (doubt[at] === 'name' || doubt[at] === 'text') doubt[at] = kind;
  }
}

function misplacedOf(
  compared: Compared,
  doubt: readonly (UnsupportedKind | undefined)[],
  isExempt: boolean[],
): MisplacedSpan[] {
  const { markdown, plain, output, support, pageIndex, orders, width, isRecognised } = compared;
  // A name that the output has as often as the page is more likely to have other neighbours by how words are parted.
  const told = new Map<number, number>();
  for (const { id } of output) told.set(id, (told.get(id) ?? 0) + 1);
  const isLacking = (token: Token) => (told.get(token.id) ?? 0) < pageIndex.count(token);
  return misplacedIn(output, support, orders, width)
    .filter(({ index }) => doubt[index] === undefined && !isExempt[index])
    .filter(({ printed }) => printed.kind === 'number' || (!isRecognised && isLacking(printed)))
    .sort((a, b) => a.index - b.index)
    .map(({ index, printed }) => ({
      ...spanOf(markdown, plain, output[index]!, output[index]!, kindOf(output[index]!) ?? 'text'),
      printed: printed.key,
    }));
}

/** Tokens of one kind that follow each other in a line are one span. */
function spansOf(
  { markdown, plain, output }: Compared,
  doubt: readonly (UnsupportedKind | undefined)[],
): Span[] {
  const spans: Span[] = [];
  let first = 0;
  for (let index = 0; index < output.length; index++) {
    const kind = doubt[index];
    if (kind === undefined) continue;
    if (doubt[index - 1] !== kind || isApart(kind, output[index]!)) first = index;
    const next = output[index + 1];
    if (next && doubt[index + 1] === kind && !isApart(kind, next)) continue;
    spans.push(spanOf(markdown, plain, output[first]!, output[index]!, kind));
  }
  return spans;
}

/** Numbers and names are told one by one; stretches of text go over lines. */
const isApart = (kind: UnsupportedKind, token: Token) =>
  kind === 'number' || (token.isFirst && (kind === 'identifier' || kind === 'date' || kind === 'name'));

function spanOf(markdown: string, plain: Plain, first: Token, last: Token, kind: UnsupportedKind): Span {
  const start = plain.at[first.start]!;
  const end = plain.at[last.end - 1]! + 1;
  return { start, end, text: markdown.slice(start, end), kind };
}

/** How often each of some words stands in a text with blanks in whatever places; words that are not asked for have none. */
function occurrencesIn(text: readonly Token[], words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) if (word.length >= SHORTEST && word.length <= LONGEST) counts.set(word, 0);
  if (counts.size === 0) return counts;
  const letters = text.map((token) => token.letters).join('');
  for (const length of new Set([...counts.keys()].map((word) => word.length))) {
    for (let start = 0; start + length <= letters.length; start++) {
      const piece = letters.slice(start, start + length);
      const count = counts.get(piece);
      if (count !== undefined) counts.set(piece, count + 1);
    }
  }
  return counts;
}
