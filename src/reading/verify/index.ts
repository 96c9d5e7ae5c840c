import type { Box } from '#src/documents/document.ts';
import { detectLanguage } from '#src/languages/detect.ts';
import { type ChartLabels, labelsIn } from './chart-labels.ts';
import { settleCharts } from './charts.ts';
import { confidenceOf, type Evidence } from './confidence.ts';
import { type DateMention, datesOf } from './dates.ts';
import { doubtsOf } from './doubts.ts';
import { type Lack, missingFrom } from './missing.ts';
import { Recognition } from './recognition.ts';
import { supportOf } from './support.ts';
import { linesOf } from './text/lines.ts';
import { plainOf } from './text/plain.ts';
import { repeatedIn } from './text/repetition.ts';
import { TokenIndex } from './text/token-index.ts';
import { type Ids, type Token, tokensOf } from './text/tokens.ts';
import type { PageTruth, PicturesRead, Verification, VerificationOptions } from './types.ts';

/** Lines at each end of a page that a reader may leave out: running heads, numbers of pages. */
const EDGE_LINES = 3;

const LONGEST_EDGE = 15;

/** Places of one token at which a running head is looked for. */
const MOST_PLACES = 64;

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

/** Half, for what nothing is known of. */
const UNKNOWN = 0.5;
/** A page with less text of its own than this share of the output is a picture with a stamp. */
const STAMP_SHARE = 0.1;
const SHORTEST_PICTURE = 20;
/** Words: tables and forms repeat themselves for as long. */
const SHORTEST_LOOP = 200;

/**
 * Compares what a model made of a page with what the page says: values, names and sentences that are not on it, those
 * that stand elsewhere on it, and what of it is left out. Takes time in proportion to both texts.
 */
export function verifyPage(
  markdown: string,
  truth: PageTruth,
  options: VerificationOptions = {},
): Verification {
  return examinePage(markdown, truth, options).verification;
}

/** As verifyPage, with the figures that its confidence comes from. */
export function examinePage(
  markdown: string,
  truth: PageTruth,
  options: VerificationOptions = {},
): { verification: Verification; evidence: Evidence } {
  const ids: Ids = new Map();
  const plain = plainOf(markdown);
  const output = tokensOf(plain.text, ids);
  const page = tokensOf(truth.text, ids);
  const seen = linesOf(truth.words, ids);
  const pageIndex = new TokenIndex(page, ids.size, [seen]);
  const recognition = truth.source === 'ocr' ? new Recognition(page, truth) : undefined;
  const support = supportOf(output, pageIndex, recognition);
  const unsupported = support.filter((each) => each === 'not at all').length;
  if (isPicture(output.length, page.length, unsupported) && !isLoop(output)) {
    return { verification: unknown(), evidence: NOTHING };
  }
  const dates = { output: datesOf(plain.text, output), page: datesOf(truth.text, page) };
  const { words, blocks } = truth;
  const { pictures = NO_PICTURES } = options;
  const missing = lackOf(truth, page, output, ids, dates, pictures);
  const { spans, misplaced, readFromPictures, evidence } = doubtsOf({
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
    settleCharts: (doubt) =>
      settleCharts({ plain, output, page, support, pictures, words, blocks, ids }, doubt),
  });
  const { inner, ...counted } = missing;
  const all = { ...evidence, ...inner };
  return {
    verification: {
      confidence: confidenceOf(all),
      known: true,
      unsupported: spans,
      misplaced,
      readFromPictures,
      missing: counted,
    },
    evidence: all,
  };
}

function lackOf(
  { text, source, words, blocks, runningHeads = [] }: PageTruth,
  page: readonly Token[],
  output: readonly Token[],
  ids: Ids,
  dates: { output: DateMention[]; page: DateMention[] },
  { areas, unread = [] }: PicturesRead,
): Lack {
  const index = new TokenIndex(output, ids.size);
  const told = new Set(dates.output.flatMap(({ days }) => days));
  const support = supportOf(page, index);
  const isTold = (date: DateMention) =>
    date.days.some((day) => told.has(day)) || allWithin(date, (at) => support[at] !== 'not at all');
  const isEdge = edgesOf(
    page,
    runningHeads.map((head) => tokensOf(head, ids)),
  );
  const labelsOf = (boxes: readonly Box[]) => labelsIn(boxes, words, blocks, ids);
  const spare = spareOf(labelsOf(areas), labelsOf(unread));
  const isRecognised = source === 'ocr';
  const ofDates = { dates: dates.page, isDateTold: isTold };
  return missingFrom({ text, page, support, output: index, spare, isEdge, isRecognised, ...ofDates });
}

/**
 * What charts print and their tables need not say, by how often: all but the values, which are to be there unless
 * nothing was read off the chart.
 */
function spareOf({ all, numbers }: ChartLabels, unread: ChartLabels): Map<number, number> {
  const spare = new Map<number, number>();
  const count = (tokens: readonly Token[], by: number) => {
    for (const { id } of tokens) spare.set(id, (spare.get(id) ?? 0) + by);
  };
  count(all, 1);
  count(numbers, -1);
  count(unread.numbers, 1);
  return spare;
}

const allWithin = ({ first, end }: DateMention, test: (index: number) => boolean) =>
  Array.from({ length: end - first }, (_, offset) => test(first + offset)).every(Boolean);

/** Whether the page's own text can be no more than a stamp beside what was read off it. */
function isPicture(output: number, page: number, unsupported: number): boolean {
  if (page === 0) return true;
  return output >= SHORTEST_PICTURE && page < output * STAMP_SHARE && unsupported > output / 2;
}

/** Whether most of a text says again what it has said: no picture shows that, whatever its page prints. */
const isLoop = (output: readonly Token[]) =>
  output.length >= SHORTEST_LOOP && repeatedIn(output, []).filter(Boolean).length > output.length / 2;

const NO_PICTURES: PicturesRead = { areas: [], tables: [] };

const NOTHING: Evidence = {
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

const unknown = (): Verification => ({
  confidence: UNKNOWN,
  known: false,
  unsupported: [],
  misplaced: [],
  readFromPictures: [],
  missing: { numbers: 0, dates: 0, identifiers: 0, names: 0, words: 0, samples: [] },
});

/**
 * For each token of a page whether it stands in its running heads: in those that the layout knows, and in the short
 * lines at both ends of a page that is longer than those.
 */
function edgesOf(page: readonly Token[], heads: readonly (readonly Token[])[]): boolean[] {
  const isEdge = new Array<boolean>(page.length).fill(false);
  markHeads(page, heads, isEdge);
  const [start, end] = innerOf(page);
  isEdge.fill(true, 0, start);
  isEdge.fill(true, end);
  return isEdge;
}

function markHeads(page: readonly Token[], heads: readonly (readonly Token[])[], isEdge: boolean[]) {
  const wanted = new Set(heads.flatMap(([first]) => (first ? [first.id] : [])));
  const places = new Map<number, number[]>();
  page.forEach(({ id }, at) => {
    if (!wanted.has(id)) return;
    const known = places.get(id);
    if (!known) places.set(id, [at]);
    else if (known.length < MOST_PLACES) known.push(at);
  });
  for (const head of heads) {
    const at = (places.get(head[0]?.id ?? -1) ?? []).find(
      (start) => !isEdge[start] && head.every(({ id }, offset) => page[start + offset]?.id === id),
    );
    if (at !== undefined) isEdge.fill(true, at, at + head.length);
  }
}

/** What lies between the short lines at both ends of a page; all of a page that is hardly longer than those. */
function innerOf(page: readonly Token[]): [number, number] {
  const starts = page.flatMap((token, index) => (token.isFirst ? [index] : []));
  if (starts.length < 4 * EDGE_LINES) return [0, page.length];
  let start = 0;
  let end = page.length;
  for (let line = 1; line <= EDGE_LINES; line++) {
    const next = starts[line]!;
    if (start === starts[line - 1] && next - start <= LONGEST_EDGE) start = next;
    const last = starts.at(-line)!;
    if (end - last <= LONGEST_EDGE && (line === 1 || end === starts.at(1 - line))) end = last;
  }
  return [start, end];
}
