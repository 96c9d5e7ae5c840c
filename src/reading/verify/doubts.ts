import type { Charts } from './charts.ts';
import type { Evidence } from './confidence.ts';
import type { DateMention } from './dates.ts';
import { findInvented } from './invented.ts';
import { findMisplaced } from './misplaced.ts';
import type { Support } from './support.ts';
import { findSurplus } from './surplus.ts';
import { findIdentifiers, isContiguous } from './text/identifiers.ts';
import { findRepetition } from './text/repetition.ts';
import type { PlainText } from './text/strip-markup.ts';
import type { TokenIndex } from './text/token-index.ts';
import type { Token } from './text/tokens.ts';
import type { MisplacedSpan, Span, UnsupportedKind } from './types.ts';

/**
 * Minimum number of letters of words that are also searched for regardless of spaces. Shorter words occur
 * inside other words. The maximum excludes rare, very long words.
 */
const MIN_LETTERS = 4;

const MAX_LETTERS = 24;

export interface Compared {
  markdown: string;
  plain: PlainText;
  output: readonly Token[];
  page: readonly Token[];
  orders: readonly (readonly Token[])[];
  pageIndex: TokenIndex;
  support: readonly Support[];
  dates: { output: readonly DateMention[]; page: readonly DateMention[] };
  /**
   * Number greater than every token id. The key of a token pair is the first id times `width` plus the second
   * id.
   */
  width: number;
  language: string | undefined;
  isRecognised: boolean;
  resolveCharts(doubt: (UnsupportedKind | undefined)[]): Charts;
}

export interface Doubts {
  spans: Span[];
  misplaced: MisplacedSpan[];
  readFromPictures: Span[];
  evidence: Omit<Evidence, 'longestMissing' | 'missingShare' | 'missingValues' | 'missingValueShare'>;
}

/**
 * Returns all doubtful parts of a model's output. Each token is reported once, with its most serious reason.
 */
export function findDoubts(compared: Compared): Doubts {
  const { output, support } = compared;
  const doubt = new Array<UnsupportedKind | undefined>(output.length);
  const isExempt = findListNumbering(compared);
  for (const date of listMatchedDates(compared)) isExempt.fill(true, date.first, date.end);
  output.forEach((token, index) => {
    if (support[index] === 'absent' && !isExempt[index]) doubt[index] = getUnsupportedKind(token);
  });
  addSurplus(compared, doubt, isExempt);
  addIdentifiers(compared, doubt);
  addDates(compared, doubt);
  addInvented(compared, doubt);
  const charts = compared.resolveCharts(doubt);
  // Tokens from charts are never reported as misplaced, because the printed order of a chart's labels does
  // not determine the order of its values.
  charts.isInChart.forEach((isInChart, index) => {
    isExempt[index] ||= isInChart;
  });
  const misplaced = findMisplacedSpans(compared, doubt, isExempt);
  const values = ['number', 'date', 'identifier'];
  const count = (kinds: readonly string[]) => doubt.filter((kind) => kind && kinds.includes(kind)).length;
  const invented = count(['text', 'language']);
  return {
    spans: toSpans(compared, doubt),
    misplaced,
    readFromPictures: toSpans(compared, charts.read),
    evidence: {
      values: count(values) + misplaced.filter(({ kind }) => values.includes(kind)).length,
      names: count(['name']) + misplaced.filter(({ kind }) => kind === 'name').length,
      invented,
      inventedShare: invented / Math.max(1, output.length),
      repeated: count(['repetition']),
    },
  };
}

function getUnsupportedKind(token: Token): UnsupportedKind | undefined {
  if (token.kind === 'number') return 'number';
  if (token.kind === 'mixed') return 'identifier';
  if (token.kind === 'word' && token.letters.length < 2) return undefined;
  return token.isCapital ? 'name' : 'text';
}

/**
 * Marks numbers of list items and headings that the page prints without a number. The model added these
 * numbers itself.
 */
function findListNumbering({ output, plain, page }: Compared): boolean[] {
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

/**
 * Marks numbers and identifiers that occur more often in the output than on the page. Inside a passage that
 * the page contains, they are reported as repetitions.
 */
function addSurplus(compared: Compared, doubt: (UnsupportedKind | undefined)[], isExempt: boolean[]) {
  const { output, support, pageIndex, page, isRecognised } = compared;
  const counted = support.map((each, index): Support => (isExempt[index] ? 'variant' : each));
  const isValue = (token: Token) => token.kind === 'number' || (token.kind === 'mixed' && !isRecognised);
  const surplus = findSurplus(output, counted, pageIndex, isValue);
  const inPieces = countOccurrences(
    page,
    surplus.flatMap(({ index }) => (isSplit(output[index]!) ? output[index]!.letters : [])),
  );
  const counts = new Map<string, number>();
  for (const { letters } of output)
    if (inPieces.has(letters)) counts.set(letters, (counts.get(letters) ?? 0) + 1);
  for (const { index, neighbours } of surplus) {
    const { letters } = output[index]!;
    // Skips tokens whose letters occur often enough on the page when spaces are ignored.
    if ((counts.get(letters) ?? 1) <= (inPieces.get(letters) ?? 0)) continue;
    // OCR may miss some occurrences of a value, so a value next to a matching neighbour is accepted.
    if (isRecognised && neighbours > 0) continue;
    doubt[index] ??=
      neighbours === 2 ? 'repetition' : output[index]!.kind === 'number' ? 'number' : 'identifier';
  }
  findRepetition(output, page).forEach((isRepeated, index) => {
    if (isRepeated) doubt[index] ??= 'repetition';
  });
}

/**
 * Only tokens with both letters and digits are searched for in pieces. Digits alone occur in longer numbers
 * by chance.
 */
const isSplit = ({ kind }: Token) => kind === 'mixed';

function addIdentifiers(
  { plain, output, pageIndex, isRecognised }: Compared,
  doubt: (UnsupportedKind | undefined)[],
) {
  for (const identifier of findIdentifiers(plain.text, output)) {
    let isDoubted = false;
    for (let at = identifier.first; at < identifier.end; at++) {
      if (doubt[at] !== undefined && doubt[at] !== 'repetition') isDoubted = true;
    }
    if (!isDoubted && (isRecognised || isContiguous(identifier, pageIndex))) continue;
    for (let at = identifier.first; at < identifier.end; at++) doubt[at] = 'identifier';
  }
}

/** Returns those dates of the output that the page contains in any notation. */
function listMatchedDates({ dates }: Compared): DateMention[] {
  const days = new Set(dates.page.flatMap((date) => date.days));
  return dates.output.filter((date) => date.days.some((day) => days.has(day)));
}

/**
 * Clears doubts about dates that the page prints in another notation. Marks dates that the page lacks, even
 * if it contains their day, month and year separately.
 */
function addDates(compared: Compared, doubt: (UnsupportedKind | undefined)[]) {
  const { dates, output, pageIndex, support, isRecognised } = compared;
  // On a scanned page, OCR may have misread a letter in the name of a month.
  const isMisread = (at: number) =>
    isRecognised && support[at] === 'variant' && output[at]!.kind !== 'number';
  const matchedDates = new Set(listMatchedDates(compared));
  for (const date of dates.output) {
    const isMatched = matchedDates.has(date);
    const letters = output.slice(date.first, date.end).map((token) => token.letters);
    const isRun = pageIndex.hasRun(letters.join(''));
    let isAsPrinted = true;
    for (let at = date.first; at < date.end; at++) {
      if (doubt[at] !== undefined && doubt[at] !== 'repetition') isAsPrinted = false;
      const isNext = at === date.first || isMisread(at) || isMisread(at - 1);
      if (!isRun && !isNext && !pageIndex.hasPair(output[at - 1], output[at])) isAsPrinted = false;
    }
    for (let at = date.first; at < date.end; at++) {
      if (isMatched && doubt[at] !== 'repetition') doubt[at] = undefined;
      else if (!isMatched && !isAsPrinted) doubt[at] = 'date';
    }
  }
}

function addInvented(compared: Compared, doubt: (UnsupportedKind | undefined)[]) {
  const { plain, output, support, pageIndex, language } = compared;
  for (const { first, end, kind } of findInvented(plain.text, output, support, pageIndex, language)) {
    for (let at = first; at < end; at++) doubt[at] ??= kind;
    for (let at = first; at < end; at++) if (doubt[at] === 'name' || doubt[at] === 'text') doubt[at] = kind;
  }
}

function findMisplacedSpans(
  compared: Compared,
  doubt: readonly (UnsupportedKind | undefined)[],
  isExempt: boolean[],
): MisplacedSpan[] {
  const { markdown, plain, output, support, pageIndex, orders, width, isRecognised } = compared;
  // Names count as misplaced only if the output lacks an occurrence of the name that the page prints there.
  // Otherwise the text was probably just divided into words differently.
  const counts = new Map<number, number>();
  for (const { id } of output) counts.set(id, (counts.get(id) ?? 0) + 1);
  const isLacking = (token: Token) => (counts.get(token.id) ?? 0) < pageIndex.count(token);
  return findMisplaced(output, support, orders, width)
    .filter(({ index }) => doubt[index] === undefined && !isExempt[index])
    .filter(({ printed }) => printed.kind === 'number' || (!isRecognised && isLacking(printed)))
    .sort((a, b) => a.index - b.index)
    .map(({ index, printed }) => ({
      ...toSpan(
        markdown,
        plain,
        output[index]!,
        output[index]!,
        getUnsupportedKind(output[index]!) ?? 'text',
      ),
      printed: printed.key,
    }));
}

function toSpans(
  { markdown, plain, output }: Compared,
  doubt: readonly (UnsupportedKind | undefined)[],
): Span[] {
  const spans: Span[] = [];
  let first = 0;
  for (let index = 0; index < output.length; index++) {
    const kind = doubt[index];
    if (kind === undefined) continue;
    if (doubt[index - 1] !== kind || startsNewSpan(kind, output[index]!)) first = index;
    const next = output[index + 1];
    if (next && doubt[index + 1] === kind && !startsNewSpan(kind, next)) continue;
    spans.push(toSpan(markdown, plain, output[first]!, output[index]!, kind));
  }
  return spans;
}

/**
 * Returns whether a token starts a new span. Every number is its own span. Identifiers, dates and names end
 * with their line or cell, and passages may continue.
 */
const startsNewSpan = (kind: UnsupportedKind, token: Token) =>
  kind === 'number' || (token.isFirst && (kind === 'identifier' || kind === 'date' || kind === 'name'));

function toSpan(markdown: string, plain: PlainText, first: Token, last: Token, kind: UnsupportedKind): Span {
  const start = plain.at[first.start]!;
  const end = plain.at[last.end - 1]! + 1;
  return { start, end, text: markdown.slice(start, end), kind };
}

/**
 * Counts how often each word occurs in a text when spaces are ignored. Words that are too short or too long
 * have no entry.
 */
function countOccurrences(text: readonly Token[], words: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const word of words) if (word.length >= MIN_LETTERS && word.length <= MAX_LETTERS) counts.set(word, 0);
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
