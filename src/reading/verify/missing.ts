import type { DateMention } from './dates.ts';
import type { Support } from './support.ts';
import { surplusOf } from './surplus.ts';
import type { TokenIndex } from './token-index.ts';
import type { Token } from './tokens.ts';
import type { Missing } from './types.ts';

const SAMPLES = 5;
const LONGEST_SAMPLE = 120;
/** So many words that are there do not end a stretch that is missing: common ones stand everywhere. */
const BRIDGED = 2;
/** Lines at each end of a page that a reader may leave out: running heads, numbers of pages. */
const EDGE_LINES = 3;
const LONGEST_EDGE = 15;

export interface Lack extends Missing {
  /** Words of the longest stretch, without running heads. */
  longest: number;
  /** Of all words of the page, without running heads. */
  share: number;
}

/** What a page has and the output lacks, each occurrence for itself; `spare`, by ids, is no loss so often. */
export function missingFrom(
  text: string,
  page: readonly Token[],
  support: readonly Support[],
  dates: readonly DateMention[],
  isDateTold: (date: DateMention) => boolean,
  output: TokenIndex,
  spare: Map<number, number>,
): Lack {
  const isMissing = support.map((each) => each === 'not at all');
  for (const { index } of surplusOf(page, support, output, () => true)) isMissing[index] = true;
  page.forEach(({ id }, index) => {
    const left = isMissing[index] ? (spare.get(id) ?? 0) : 0;
    if (left <= 0) return;
    spare.set(id, left - 1);
    isMissing[index] = false;
  });
  const missing: Lack = {
    numbers: 0,
    dates: 0,
    identifiers: 0,
    names: 0,
    words: 0,
    samples: [],
    longest: 0,
    share: 0,
  };
  const isInDate = new Array<boolean>(page.length).fill(false);
  for (const date of dates) {
    const isTold = isDateTold(date);
    for (let at = date.first; at < date.end; at++) {
      isInDate[at] = true;
      if (isTold) isMissing[at] = false;
    }
    if (!isTold) missing.dates++;
  }
  const [edgeStart, edgeEnd] = edgesOf(page);
  let inner = 0;
  page.forEach((token, index) => {
    if (!isMissing[index]) return;
    if (index >= edgeStart && index < edgeEnd) inner++;
    missing.words++;
    if (isInDate[index]) return;
    if (token.kind === 'number') missing.numbers++;
    else if (token.kind === 'mixed') missing.identifiers++;
    else if (token.isCapital) missing.names++;
  });
  missing.share = inner / Math.max(1, edgeEnd - edgeStart);
  const stretches = stretchesOf(isMissing);
  for (const { first, last } of stretches) {
    let count = 0;
    for (let at = Math.max(first, edgeStart); at <= Math.min(last, edgeEnd - 1); at++)
      count += Number(isMissing[at]);
    missing.longest = Math.max(missing.longest, count);
  }
  missing.samples = stretches
    .sort((a, b) => b.last - b.first - (a.last - a.first))
    .slice(0, SAMPLES)
    .map(({ first, last }) => text.slice(page[first]!.start, page[last]!.end).slice(0, LONGEST_SAMPLE));
  return missing;
}

function stretchesOf(isMissing: readonly boolean[]): { first: number; last: number }[] {
  const stretches: { first: number; last: number }[] = [];
  isMissing.forEach((missing, index) => {
    if (!missing) return;
    const current = stretches.at(-1);
    if (current && index - current.last <= BRIDGED + 1) current.last = index;
    else stretches.push({ first: index, last: index });
  });
  return stretches;
}

/** What lies between the short lines at both ends of a page; all of a page that is hardly longer than those. */
function edgesOf(page: readonly Token[]): [number, number] {
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
