import type { Page } from '#src/documents/document.ts';
import { largest } from '#src/lib/extremes.ts';
import type { UNCATEGORIZED_MODES } from './configuration.ts';

/** What is known of one page before its neighbours are considered. */
export interface PageEvidence {
  /** Page number, starting at 1. */
  page: number;
  /**
   * Probability of each category, from 0 to 1, and last the probability that no category fits. All are equal
   * for a page without evidence, which then belongs to the segment of its neighbours.
   */
  probabilities: number[];
  /** True if a new document begins on the page, even if the previous page has the same category. */
  startsDocument: boolean;
}

export interface SegmentOptions {
  uncategorized: (typeof UNCATEGORIZED_MODES)[number];
  minPages: number;
}

/** Consecutive pages of one category. `category` is null if no category fits. */
export interface Segment {
  category: number | null;
  /** Mean probability of the category, from 0 to 1. */
  confidence: number;
  pages: number[];
}

/** Lowest probability that counts, so that one wrong page cannot outweigh all others. */
const MIN_PROBABILITY = 0.02;
/**
 * Logarithm by which a change of the category must improve the fit of the pages. A single doubtful page
 * therefore stays in the segment around it.
 */
const SWITCHING_PENALTY = 1;
/** Difference below which two sums of log probabilities are equal, despite rounding. */
const TIE = 1e-9;

/**
 * Divides pages into segments. The sequence of categories is the one with the best sum of log probabilities
 * and penalties for changes (Viterbi algorithm), so that doubtful pages follow their neighbours.
 */
export function buildSegments(evidence: readonly PageEvidence[], options: SegmentOptions): Segment[] {
  if (evidence.length === 0) return [];
  const pages = options.uncategorized === 'forbid' ? evidence.map(withoutUncategorized) : evidence;
  const count = pages[0]!.probabilities.length;
  const states = findBestStates(pages, count);
  const runs = mergeShortRuns(pages, groupRuns(pages, states), options.minPages);
  const none = options.uncategorized === 'forbid' ? -1 : count - 1;
  return runs
    .map(({ state, from, to }) => {
      const some = pages.slice(from, to);
      const sum = some.reduce((total, { probabilities }) => total + probabilities[state]!, 0);
      return {
        category: state === none ? null : state,
        confidence: Math.round((sum / some.length) * 1000) / 1000,
        pages: some.map(({ page }) => page),
      };
    })
    .filter(({ category }) => category !== null || options.uncategorized === 'include');
}

/** Removes the probability that no category fits, and scales the others to a sum of 1. */
function withoutUncategorized({ probabilities, ...page }: PageEvidence): PageEvidence {
  const kept = probabilities.slice(0, -1);
  const sum = kept.reduce((total, value) => total + value, 0);
  return { ...page, probabilities: kept.map((value) => (sum > 0 ? value / sum : 1 / kept.length)) };
}

/** Returns the category of each page in the best sequence of categories. */
function findBestStates(pages: readonly PageEvidence[], count: number): number[] {
  let totals = new Array<number>(count).fill(0);
  const previous: Int16Array[] = [];
  for (const [at, { probabilities, startsDocument }] of pages.entries()) {
    const penalty = at === 0 || startsDocument ? 0 : SWITCHING_PENALTY;
    const best = totals.indexOf(largest(totals));
    const from = new Int16Array(count);
    totals = totals.map((stay, state) => {
      // The later change wins among equal sequences, so that a blank page ends the segment before it.
      const isChange = totals[best]! - penalty >= stay - TIE;
      from[state] = isChange ? best : state;
      const reached = isChange ? totals[best]! - penalty : stay;
      return reached + Math.log(Math.max(MIN_PROBABILITY, probabilities[state]!));
    });
    previous.push(from);
  }
  const states = new Array<number>(pages.length);
  let state = totals.indexOf(largest(totals));
  for (let at = pages.length - 1; at >= 0; at--) {
    states[at] = state;
    state = previous[at]![state]!;
  }
  return states;
}

/** Pages with the same category. `from` is the index of the first page, and `to` is exclusive. */
interface Run {
  state: number;
  from: number;
  to: number;
}

function groupRuns(pages: readonly PageEvidence[], states: readonly number[]): Run[] {
  const runs: Run[] = [];
  for (const [at, state] of states.entries()) {
    const last = runs.at(-1);
    if (last && last.state === state && !pages[at]!.startsDocument) last.to = at + 1;
    else runs.push({ state, from: at, to: at + 1 });
  }
  return runs;
}

/**
 * Joins each run with too few pages with the neighbour whose category fits its pages better. A run that was
 * joined with the next one is judged again together with it.
 */
function mergeShortRuns(pages: readonly PageEvidence[], runs: Run[], minPages: number): Run[] {
  const merged: Run[] = [];
  for (const [at, run] of runs.entries()) {
    const last = merged.at(-1);
    const next = runs[at + 1];
    const isShort = run.to - run.from < minPages;
    if (isShort && last && fits(pages, run, last, next)) last.to = run.to;
    else if (isShort && next) next.from = run.from;
    else merged.push(run);
  }
  return merged;
}

/** Returns whether the category of the previous run fits the pages of a run at least as well as the next one. */
function fits(pages: readonly PageEvidence[], run: Run, last: Run, next: Run | undefined): boolean {
  if (!next) return true;
  const sum = (state: number) =>
    pages.slice(run.from, run.to).reduce((total, { probabilities }) => total + probabilities[state]!, 0);
  return sum(last.state) >= sum(next.state);
}

/** Word for a confidence, as existing clients expect it. */
export function describeConfidence(confidence: number): 'high' | 'medium' | 'low' {
  if (confidence >= 0.75) return 'high';
  return confidence >= 0.45 ? 'medium' : 'low';
}

/** Matches a line that numbers the first page of a document, such as "Page 1 of 3" or "1/3". */
const FIRST_PAGE =
  /^(?:page|seite|página|pagina|strona|sida|blatt|страница)?\s*0*1\s*(?:of|von|de|di|sur|van|z|из|\/)\s*\d{1,4}\.?$/iu;

/** Number of lines at the top and at the bottom of a page that may number the page. */
const EDGE_LINES = 3;

/** Returns whether the page says that it is the first of several pages of a document. */
export function isNumberedFirst({ text, blocks }: Pick<Page, 'text' | 'blocks'>): boolean {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
  const running = blocks
    .filter(({ type }) => type === 'header' || type === 'footer')
    .flatMap((block) => block.text.split('\n').map((line) => line.trim()));
  const edges = [...lines.slice(0, EDGE_LINES), ...lines.slice(-EDGE_LINES), ...running];
  return edges.some((line) => FIRST_PAGE.test(line));
}
