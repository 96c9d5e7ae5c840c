import type { Box } from '#src/documents/document.ts';
import { detectLanguage } from '#src/languages/detect.ts';
import { type ChartLabels, findChartLabels } from './chart-labels.ts';
import { resolveChartDoubts } from './charts.ts';
import { computeConfidence, type Evidence } from './confidence.ts';
import { type DateMention, findDates } from './dates.ts';
import { findDoubts } from './doubts.ts';
import { countMissing, type MissingReport } from './missing.ts';
import { OcrConfusions } from './ocr-confusions.ts';
import { findSupport } from './support.ts';
import { tokenizeLines } from './text/lines.ts';
import { findRepetition } from './text/repetition.ts';
import { stripMarkup } from './text/strip-markup.ts';
import { TokenIndex } from './text/token-index.ts';
import { type Ids, type Token, tokenize } from './text/tokens.ts';
import type { PageTruth, PicturesRead, Verification, VerificationOptions } from './types.ts';

/**
 * Maximum number of lines at each end of a page that the output may omit, such as running heads and page
 * numbers.
 */
const EDGE_LINES = 3;

const MAX_EDGE_LINE_TOKENS = 15;

const MAX_POSITIONS = 64;

export type {
  MisplacedSpan,
  Missing,
  PageTruth,
  PicturesRead,
  Span,
  UnsupportedKind,
  Verification,
  VerificationOptions,
} from './types.ts';

/** Confidence, from 0 to 1, of a model's output that cannot be verified. */
const UNKNOWN_CONFIDENCE = 0.5;
/**
 * Ratio of the page's words to the output's words. Below this ratio, the page counts as a picture, for
 * example a scan with a stamp.
 */
const STAMP_SHARE = 0.1;
const MIN_PICTURE_TOKENS = 20;
/**
 * Minimum length in words of an output that can count as an endless repetition. Shorter tables and forms may
 * legitimately repeat themselves.
 */
const MIN_LOOP_TOKENS = 200;

/**
 * Compares a language model's Markdown with the text of the page. Finds values, names and sentences that the
 * page lacks, values in the wrong place, and missing content. Runs in linear time.
 */
export function verifyPage(
  markdown: string,
  truth: PageTruth,
  options: VerificationOptions = {},
): Verification {
  return examinePage(markdown, truth, options).verification;
}

export function examinePage(
  markdown: string,
  truth: PageTruth,
  options: VerificationOptions = {},
): { verification: Verification; evidence: Evidence } {
  const ids: Ids = new Map();
  const plain = stripMarkup(markdown);
  const output = tokenize(plain.text, ids);
  const page = tokenize(truth.text, ids);
  const seen = tokenizeLines(truth.words, ids);
  const pageIndex = new TokenIndex(page, ids.size, [seen]);
  const recognition = truth.source === 'ocr' ? new OcrConfusions(page, truth) : undefined;
  const support = findSupport(output, pageIndex, recognition);
  const unsupported = support.filter((each) => each === 'absent').length;
  if (isMostlyPicture(output.length, page.length, unsupported) && !isLoop(output)) {
    return { verification: buildUnknownVerification(), evidence: NO_EVIDENCE };
  }
  const dates = { output: findDates(plain.text, output), page: findDates(truth.text, page) };
  const { words, blocks } = truth;
  const { pictures = NO_PICTURES } = options;
  const missing = findMissing(truth, page, output, ids, dates, pictures);
  const { spans, misplaced, readFromPictures, evidence } = findDoubts({
    markdown,
    plain,
    output,
    page,
    orders: [page, seen],
    pageIndex,
    support,
    dates,
    width: ids.size,
    language: detectLanguage(truth.text),
    isRecognised: recognition !== undefined,
    resolveCharts: (doubt) =>
      resolveChartDoubts({ plain, output, page, support, pictures, words, blocks, ids }, doubt),
  });
  const { inner, ...counted } = missing;
  const all = { ...evidence, ...inner };
  return {
    verification: {
      confidence: computeConfidence(all),
      known: true,
      unsupported: spans,
      misplaced,
      readFromPictures,
      missing: counted,
    },
    evidence: all,
  };
}

function findMissing(
  { text, source, words, blocks, runningHeads = [] }: PageTruth,
  page: readonly Token[],
  output: readonly Token[],
  ids: Ids,
  dates: { output: DateMention[]; page: DateMention[] },
  { areas, unread = [] }: PicturesRead,
): MissingReport {
  const index = new TokenIndex(output, ids.size);
  const outputDays = new Set(dates.output.flatMap(({ days }) => days));
  const support = findSupport(page, index);
  const isFound = (date: DateMention) =>
    date.days.some((day) => outputDays.has(day)) || isEveryToken(date, (at) => support[at] !== 'absent');
  const isEdge = markEdges(
    page,
    runningHeads.map((head) => tokenize(head, ids)),
  );
  const findLabels = (boxes: readonly Box[]) => findChartLabels(boxes, words, blocks, ids);
  const optional = countOptionalLabels(findLabels(areas), findLabels(unread));
  const isRecognised = source === 'ocr';
  const dateInput = { dates: dates.page, isDateFound: isFound };
  return countMissing({
    text,
    page,
    support,
    output: index,
    optionalCounts: optional,
    isEdge,
    isRecognised,
    ...dateInput,
  });
}

/**
 * Counts, by token id, the chart labels that the output may omit. Printed values must not be omitted, unless
 * nothing was read from their chart.
 */
function countOptionalLabels({ all, numbers }: ChartLabels, unread: ChartLabels): Map<number, number> {
  const counts = new Map<number, number>();
  const count = (tokens: readonly Token[], by: number) => {
    for (const { id } of tokens) counts.set(id, (counts.get(id) ?? 0) + by);
  };
  count(all, 1);
  count(numbers, -1);
  count(unread.numbers, 1);
  return counts;
}

const isEveryToken = ({ first, end }: DateMention, test: (index: number) => boolean) =>
  Array.from({ length: end - first }, (_, offset) => test(first + offset)).every(Boolean);

/**
 * Returns whether the page itself contains hardly any text, such as only a stamp, so that the model read
 * mainly a picture.
 */
function isMostlyPicture(output: number, page: number, unsupported: number): boolean {
  if (page === 0) return true;
  return output >= MIN_PICTURE_TOKENS && page < output * STAMP_SHARE && unsupported > output / 2;
}

/** Returns whether most of the output repeats earlier text. Such an output is always wrong. */
const isLoop = (output: readonly Token[]) =>
  output.length >= MIN_LOOP_TOKENS && findRepetition(output, []).filter(Boolean).length > output.length / 2;

const NO_PICTURES: PicturesRead = { areas: [], tables: [] };

const NO_EVIDENCE: Evidence = {
  values: 0,
  names: 0,
  invented: 0,
  inventedShare: 0,
  repeated: 0,
  longestMissing: 0,
  missingShare: 0,
  missingValues: 0,
  missingValueShare: 0,
};

const buildUnknownVerification = (): Verification => ({
  confidence: UNKNOWN_CONFIDENCE,
  known: false,
  unsupported: [],
  misplaced: [],
  readFromPictures: [],
  missing: { numbers: 0, dates: 0, identifiers: 0, names: 0, words: 0, samples: [] },
});

/**
 * Returns, for each token of a page, whether it belongs to a running head. Short lines at both ends of a
 * longer page also count as running heads.
 */
function markEdges(page: readonly Token[], heads: readonly (readonly Token[])[]): boolean[] {
  const isEdge = new Array<boolean>(page.length).fill(false);
  markRunningHeads(page, heads, isEdge);
  const [start, end] = findInnerRange(page);
  isEdge.fill(true, 0, start);
  isEdge.fill(true, end);
  return isEdge;
}

function markRunningHeads(page: readonly Token[], heads: readonly (readonly Token[])[], isEdge: boolean[]) {
  const wanted = new Set(heads.flatMap(([first]) => (first ? [first.id] : [])));
  const places = new Map<number, number[]>();
  page.forEach(({ id }, at) => {
    if (!wanted.has(id)) return;
    const known = places.get(id);
    if (!known) places.set(id, [at]);
    else if (known.length < MAX_POSITIONS) known.push(at);
  });
  for (const head of heads) {
    const at = (places.get(head[0]?.id ?? -1) ?? []).find(
      (start) => !isEdge[start] && head.every(({ id }, offset) => page[start + offset]?.id === id),
    );
    if (at !== undefined) isEdge.fill(true, at, at + head.length);
  }
}

/**
 * Returns the range of tokens between the short lines at both ends of a page. Returns all tokens if the page
 * has only a few lines.
 */
function findInnerRange(page: readonly Token[]): [number, number] {
  const starts = page.flatMap((token, index) => (token.isFirst ? [index] : []));
  if (starts.length < 4 * EDGE_LINES) return [0, page.length];
  let start = 0;
  let end = page.length;
  for (let line = 1; line <= EDGE_LINES; line++) {
    const next = starts[line]!;
    if (start === starts[line - 1] && next - start <= MAX_EDGE_LINE_TOKENS) start = next;
    const last = starts.at(-line)!;
    if (end - last <= MAX_EDGE_LINE_TOKENS && (line === 1 || end === starts.at(1 - line))) end = last;
  }
  return [start, end];
}
