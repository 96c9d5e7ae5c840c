import { expect } from 'vitest';

/** Units that are repeated to build hostile texts. */
export const HOSTILE_UNITS: Record<string, string> = {
  digits: '1',
  'digits and dots': '1.',
  'digits and commas': '1,',
  'digits and blanks': '1 ',
  'digits and hyphens': '1-',
  'at signs': '@',
  addresses: 'a@b.',
  'letters and dots': 'a.',
  dots: '.',
  'dots and blanks': '. ',
  blanks: ' ',
  'a word and blanks': `a${' '.repeat(999)}`,
  newlines: '\n',
  'blank lines': ' \n',
  hyphens: '-',
  'list marks': '- ',
  pipes: '|',
  'pipes and blanks': '| ',
  'table rows': '|-\n',
  quotes: '"',
  apostrophes: "'",
  'quotes and commas': '",',
  'less-than signs': '<',
  'open tags': '<a ',
  'open bold tags': '<b ',
  'open comments': '<!--',
  'open sections': '<![CDATA[',
  'greater-than signs': '>',
  'open brackets': '[',
  'open citations': '[1,',
  'open links': '[a](',
  'open pictures': '![',
  'closing brackets': ']',
  parentheses: '(',
  braces: '{',
  'closing braces': '}',
  stars: '*',
  underscores: '_a',
  backticks: '`',
  backslashes: '\\',
  tildes: '~',
  equals: '=',
  hashes: '# ',
  ampersands: '&',
  colons: ':',
  'header lines': 'a: b\n',
  'labelled dates': 'Due Date: 2031-03-14 ',
  'data URIs': '![](data:image/png;base64,',
  letters: 'x',
  capitals: 'X ',
  'names in capitals': 'Aa ',
  'words that join': 'items with ',
  commas: ',',
  tabs: '\t',
  'form feeds': '\f',
  'carriage returns': '\r',
  ideographs: '数',
  'Cyrillic letters': 'файл',
};

/** Repeats a unit between two other characters, so that no run reaches the end of the text. */
export const repeated = (unit: string, length: number) => `x${unit.repeat(Math.ceil(length / unit.length))}x`;

/**
 * Runs `work` and returns the CPU time of this process in milliseconds. Time that other processes take on the machine
 * is not counted.
 */
async function measureCpu(work: () => unknown): Promise<number> {
  const start = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1000;
}

const CONTROL_TEXT = 'control '.repeat(1_000);

/** A computation that never changes: a checksum of 32 million characters. It takes about 80 ms on a laptop. */
function runControl(): number {
  let sum = 0;
  for (let round = 0; round < 4_000; round += 1) {
    for (let at = 0; at < CONTROL_TEXT.length; at += 1) {
      sum = (Math.imul(sum, 31) + CONTROL_TEXT.charCodeAt(at)) | 0;
    }
  }
  return sum;
}

let controlCpu: Promise<number> | undefined;

/** Returns the CPU time of the control computation, measured once per process as the lowest of three runs. */
function measureControl(): Promise<number> {
  controlCpu ??= (async () => {
    let lowest = Infinity;
    for (let run = 0; run < 3; run += 1) lowest = Math.min(lowest, await measureCpu(runControl));
    return lowest;
  })();
  return controlCpu;
}

/** Default for the highest ratio of work to its comparison, for work that is meant to grow four times. */
const MOST_RATIO = 8;
/**
 * Work of one length is compared with eight times the work of an eighth of the length, so that both produce the same
 * amount of garbage. Linear work takes as long, and quadratic work eight times as long. The bound leaves room for costs
 * that appear with the size, such as those of caches and of garbage collection.
 */
const PARTS = 8;
const MOST_GROWTH = 3.5;
const ATTEMPTS = 5;

/**
 * Asserts that `work` takes at most `mostRatio` times the CPU time of `comparison`, which runs in the same test. Both
 * are measured up to five times, and the lowest time of each counts: garbage collection and compilation only add time.
 *
 * Work that takes less time than the control computation passes without a comparison, because such short times are
 * mostly noise. The control computation slows down with the machine, so a slow machine compares no more cases than a
 * fast one.
 *
 * Use this function in Node only: the clock of a Worker stands still while the Worker computes.
 */
export async function expectCost(
  work: () => unknown,
  comparison: () => unknown,
  mostRatio = MOST_RATIO,
): Promise<void> {
  expect(await compareCpu(work, comparison, mostRatio), RATIO).toBeLessThan(mostRatio);
}

/**
 * Asserts that the lowest result of `measure` is at most `mostRatio` times the lowest result of `measureComparison`.
 * Both measure a time, in the same unit, up to five times.
 */
export async function expectRatio(
  measure: () => Promise<number>,
  measureComparison: () => Promise<number>,
  mostRatio = MOST_RATIO,
): Promise<void> {
  expect(await compareTimes(measure, measureComparison, { enough: mostRatio }), RATIO).toBeLessThan(
    mostRatio,
  );
}

const RATIO = 'time divided by that of the comparison';

async function compareCpu(work: () => unknown, comparison: () => unknown, enough: number): Promise<number> {
  const noise = await measureControl();
  return compareTimes(
    () => measureCpu(work),
    () => measureCpu(comparison),
    { enough, noise },
  );
}

/**
 * Returns the lowest of five times divided by the lowest of the comparison's. Stops early at a ratio below `enough`,
 * and returns 0 for a time below `noise`.
 */
async function compareTimes(
  measure: () => Promise<number>,
  measureComparison: () => Promise<number>,
  { enough, noise = 0 }: { enough: number; noise?: number },
): Promise<number> {
  let lowest = Infinity;
  let lowestComparison = Infinity;
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    lowest = Math.min(lowest, await measure());
    if (lowest < noise) return 0;
    lowestComparison = Math.min(lowestComparison, await measureComparison());
    if (lowest < enough * lowestComparison) break;
  }
  return lowest / lowestComparison;
}

/**
 * Asserts that the CPU time of `work` grows no faster than its input, from a quarter of `length` to twice `length`. The
 * results of `work` are not kept.
 *
 * Linear work takes a step where its data no longer fit into a cache or into the young part of the heap. If the growth
 * is too high, four times the lengths are tried, too: one step is not found in both, but quadratic work grows by the
 * same factor everywhere.
 */
export async function expectLinear(work: (length: number) => unknown, length: number): Promise<void> {
  const growth = await compareParts(work, 2 * length);
  if (growth < MOST_GROWTH) return;
  expect(await compareParts(work, 8 * length), `${RATIO}, which was ${growth} at a quarter`).toBeLessThan(
    MOST_GROWTH,
  );
}

function compareParts(work: (length: number) => unknown, longest: number): Promise<number> {
  const workOnParts = async () => {
    for (let part = 0; part < PARTS; part += 1) await work(Math.floor(longest / PARTS));
  };
  return compareCpu(() => work(longest), workOnParts, MOST_GROWTH);
}
