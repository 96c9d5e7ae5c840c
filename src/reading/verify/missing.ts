import type { Evidence } from './confidence.ts';
import type { DateMention } from './dates.ts';
import type { Support } from './support.ts';
import { findSurplus } from './surplus.ts';
import type { TokenIndex } from './text/token-index.ts';
import type { Token } from './text/tokens.ts';
import type { Missing } from './types.ts';

const MAX_SAMPLES = 5;
const MAX_SAMPLE_CHARACTERS = 120;
/**
 * Maximum number of consecutive words inside a missing passage that the output does contain. Common words
 * occur everywhere, so they do not end the passage.
 */
const MAX_BRIDGED_WORDS = 2;

export interface MissingReport extends Missing {
  inner: Pick<Evidence, 'longestMissing' | 'missingShare' | 'missingValues' | 'missingValueShare'>;
}

export interface MissingInput {
  text: string;
  page: readonly Token[];
  /** For each token of the page, how it occurs in the output. */
  support: readonly Support[];
  output: TokenIndex;
  dates: readonly DateMention[];
  isDateFound: (date: DateMention) => boolean;
  /**
   * Number of occurrences that the output may omit, by token id. The counts decrease as missing tokens are
   * found.
   */
  optionalCounts: Map<number, number>;
  isEdge: readonly boolean[];
  isRecognised: boolean;
}

/** Counts the content of the page that the output lacks. Each occurrence of a token counts separately. */
export function countMissing(compared: MissingInput): MissingReport {
  const { text, page, support, output, dates, isDateFound, optionalCounts, isEdge, isRecognised } = compared;
  const isMissing = support.map((each) => each === 'absent');
  for (const { index } of findSurplus(page, support, output, () => true)) isMissing[index] = true;
  page.forEach(({ id }, index) => {
    const left = isMissing[index] ? (optionalCounts.get(id) ?? 0) : 0;
    if (left <= 0) return;
    optionalCounts.set(id, left - 1);
    isMissing[index] = false;
  });
  const missing: Missing = { numbers: 0, dates: 0, identifiers: 0, names: 0, words: 0, samples: [] };
  const isInDate = new Array<boolean>(page.length).fill(false);
  for (const date of dates) {
    const isFound = isDateFound(date);
    for (let at = date.first; at < date.end; at++) {
      isInDate[at] = true;
      if (isFound) isMissing[at] = false;
    }
    if (!isFound) missing.dates++;
  }
  page.forEach((token, index) => {
    if (!isMissing[index]) return;
    missing.words++;
    if (isInDate[index]) return;
    if (token.kind === 'number') missing.numbers++;
    else if (token.kind === 'mixed') missing.identifiers++;
    else if (token.isCapital) missing.names++;
  });
  const stretches = findStretches(isMissing);
  missing.samples = stretches
    .toSorted((a, b) => b.last - b.first - (a.last - a.first))
    .slice(0, MAX_SAMPLES)
    .map(({ first, last }) =>
      text.slice(page[first]!.start, page[last]!.end).slice(0, MAX_SAMPLE_CHARACTERS),
    );
  return { ...missing, inner: summarizeInner(page, isMissing, isEdge, stretches, isRecognised) };
}

interface Stretch {
  first: number;
  last: number;
}

function summarizeInner(
  page: readonly Token[],
  isMissing: readonly boolean[],
  isEdge: readonly boolean[],
  stretches: readonly Stretch[],
  isRecognised: boolean,
): MissingReport['inner'] {
  // On a scanned page, a token with letters and digits is often a misread word, so it does not count as a
  // value.
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

function findStretches(isMissing: readonly boolean[]): Stretch[] {
  const stretches: Stretch[] = [];
  isMissing.forEach((missing, index) => {
    if (!missing) return;
    const current = stretches.at(-1);
    if (current && index - current.last <= MAX_BRIDGED_WORDS + 1) current.last = index;
    else stretches.push({ first: index, last: index });
  });
  return stretches;
}
