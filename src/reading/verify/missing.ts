import type { Evidence } from './confidence.ts';
import type { DateMention } from './dates.ts';
import type { Support } from './support.ts';
import { surplusOf } from './surplus.ts';
import type { TokenIndex } from './text/token-index.ts';
import type { Token } from './text/tokens.ts';
import type { Missing } from './types.ts';

const SAMPLES = 5;
const LONGEST_SAMPLE = 120;
/** So many words that are there do not end a stretch that is missing: common ones stand everywhere. */
const BRIDGED = 2;

export interface Lack extends Missing {
  /** What is missing between the running heads. */
  inner: Pick<Evidence, 'longestMissing' | 'missingShare' | 'missingValues' | 'missingValueShare'>;
}

export interface Compared {
  text: string;
  page: readonly Token[];
  /** Of each token of the page in the output. */
  support: readonly Support[];
  output: TokenIndex;
  dates: readonly DateMention[];
  isDateTold: (date: DateMention) => boolean;
  /** What is no loss, and how often, by ids; is used up. */
  spare: Map<number, number>;
  /** Of each token of the page, whether it stands in its running heads. */
  isEdge: readonly boolean[];
  isRecognised: boolean;
}

/** What a page has and the output lacks, each occurrence for itself. */
export function missingFrom(compared: Compared): Lack {
  const { text, page, support, output, dates, isDateTold, spare, isEdge, isRecognised } = compared;
  const isMissing = support.map((each) => each === 'not at all');
  for (const { index } of surplusOf(page, support, output, () => true)) isMissing[index] = true;
  page.forEach(({ id }, index) => {
    const left = isMissing[index] ? (spare.get(id) ?? 0) : 0;
    if (left <= 0) return;
    spare.set(id, left - 1);
    isMissing[index] = false;
  });
  const missing: Missing = { numbers: 0, dates: 0, identifiers: 0, names: 0, words: 0, samples: [] };
  const isInDate = new Array<boolean>(page.length).fill(false);
  for (const date of dates) {
    const isTold = isDateTold(date);
    for (let at = date.first; at < date.end; at++) {
      isInDate[at] = true;
      if (isTold) isMissing[at] = false;
    }
    if (!isTold) missing.dates++;
  }
  page.forEach((token, index) => {
    if (!isMissing[index]) return;
    missing.words++;
    if (isInDate[index]) return;
    if (token.kind === 'number') missing.numbers++;
    else if (token.kind === 'mixed') missing.identifiers++;
    else if (token.isCapital) missing.names++;
  });
  const stretches = stretchesOf(isMissing);
  missing.samples = stretches
    .toSorted((a, b) => b.last - b.first - (a.last - a.first))
    .slice(0, SAMPLES)
    .map(({ first, last }) => text.slice(page[first]!.start, page[last]!.end).slice(0, LONGEST_SAMPLE));
  return { ...missing, inner: innerOf(page, isMissing, isEdge, stretches, isRecognised) };
}

interface Stretch {
  first: number;
  last: number;
}

function innerOf(
  page: readonly Token[],
  isMissing: readonly boolean[],
  isEdge: readonly boolean[],
  stretches: readonly Stretch[],
  isRecognised: boolean,
): Lack['inner'] {
  // What an engine reads as letters and digits is as often a word.
  const isValue = ({ kind }: Token) => kind === 'number' || (kind === 'mixed' && !isRecognised);
  const all = { words: 0, values: 0 };
  const lacking = { words: 0, values: 0 };
  page.forEach((token, index) => {
    if (isEdge[index]) return;
    const counts = isMissing[index] ? [all, lacking] : [all];
    for (const count of counts) {
      count.words++;
      if (isValue(token)) count.values++;
    }
  });
  let longest = 0;
  for (const { first, last } of stretches) {
    let count = 0;
    for (let at = first; at <= last; at++) count += Number(isMissing[at]! && !isEdge[at]);
    longest = Math.max(longest, count);
  }
  return {
    longestMissing: longest,
    missingShare: lacking.words / Math.max(1, all.words),
    missingValues: lacking.values,
    missingValueShare: lacking.values / Math.max(1, all.values),
  };
}

function stretchesOf(isMissing: readonly boolean[]): Stretch[] {
  const stretches: Stretch[] = [];
  isMissing.forEach((missing, index) => {
    if (!missing) return;
    const current = stretches.at(-1);
    if (current && index - current.last <= BRIDGED + 1) current.last = index;
    else stretches.push({ first: index, last: index });
  });
  return stretches;
}
