import type { Block, Box, Word } from '#src/documents/document.ts';
import { tokenizeLines } from './text/lines.ts';
import { type Ids, type Token, tokenize } from './text/tokens.ts';

export interface ChartLabels {
  /** Numbers printed in the chart, except the tick labels of its axes. */
  numbers: Token[];
  words: Token[];
  ticks: Token[];
  /** All labels printed in the chart. The model's output may omit them. */
  all: Token[];
}

/** Minimum number of evenly spaced numbers that count as the tick labels of an axis. */
const MIN_TICKS = 3;
/**
 * Maximum distance in points of tick labels from their common line. `MAX_STEP_DEVIATION` is the maximum
 * deviation of a step between ticks, as a share of the step.
 */
const MAX_OFFSET_POINTS = 3;
const MAX_STEP_DEVIATION = 0.08;
const MAX_WORDS = 2_000;
/**
 * Minimum share of a block's area, from 0 to 1, that must lie in the chart for its words to count as labels.
 */
const MIN_SHARE_INSIDE = 0.6;

/**
 * Returns the labels printed inside the given charts. Words of blocks that lie mostly outside a chart belong
 * to the surrounding text.
 */
export function findChartLabels(
  areas: readonly Box[],
  words: readonly Word[] | undefined,
  blocks: readonly Pick<Block, 'box'>[] | undefined,
  ids: Ids,
): ChartLabels {
  const labels: ChartLabels = { numbers: [], words: [], ticks: [], all: [] };
  for (const area of areas) {
    const others = (blocks ?? []).flatMap(({ box }) => (box && isMostlyOutside(box, area) ? [box] : []));
    const own = (words ?? [])
      .filter((word) => isInside(word, area) && !others.some((box) => isInside(word, box)))
      .slice(0, MAX_WORDS);
    const onAxes = findTicks(own);
    for (const word of own) {
      for (const token of tokenize(word[0], ids)) {
        if (onAxes.has(word)) labels.ticks.push(token);
        else if (token.kind === 'number') labels.numbers.push(token);
        else if (token.letters.length > 2) labels.words.push(token);
      }
    }
    for (const each of tokenizeLines(own, ids)) labels.all.push(each);
  }
  return labels;
}

const isInside = ([, x, y, w, h]: Word, box: Box) => {
  const [left, top] = [x + w / 2 - box.x, y + h / 2 - box.y];
  return left >= 0 && left <= box.w && top >= 0 && top <= box.h;
};

/** Returns whether a box overlaps the area of a chart but lies mostly outside it. */
function isMostlyOutside(box: Box, area: Box): boolean {
  const width = Math.min(box.x + box.w, area.x + area.w) - Math.max(box.x, area.x);
  const height = Math.min(box.y + box.h, area.y + area.h) - Math.max(box.y, area.y);
  return width > 0 && height > 0 && width * height < MIN_SHARE_INSIDE * box.w * box.h;
}

interface Tick {
  word: Word;
  value: number;
  x: number;
  y: number;
}

/**
 * Returns the tick labels: numbers in a row or column whose values increase in proportion to their positions.
 */
function findTicks(words: readonly Word[]): Set<Word> {
  const numbers = words.flatMap((word): Tick[] => {
    const [text, x, y, w, h] = word;
    const digits = text.replace(/[\s,'’%$€£]/g, '').replace(/[−–]/, '-');
    if (!/^-?\d{1,15}(?:\.\d{1,10})?$/.test(digits)) return [];
    return [{ word, value: Number(digits), x: x + w / 2, y: y + h / 2 }];
  });
  const ticks = new Set<Word>();
  const addAxes = (along: 'x' | 'y', offset: (tick: Tick) => number) => {
    const sorted = numbers.toSorted((a, b) => offset(a) - offset(b) || a[along] - b[along]);
    for (let first = 0; first < sorted.length; ) {
      let end = first + 1;
      while (end < sorted.length && offset(sorted[end]!) - offset(sorted[end - 1]!) <= MAX_OFFSET_POINTS)
        end++;
      const line = sorted.slice(first, end).sort((a, b) => a[along] - b[along]);
      for (const tick of findEvenRuns(line, along)) ticks.add(tick.word);
      first = end;
    }
  };
  addAxes('x', ({ y }) => y);
  // Tick labels of a vertical axis may be aligned at their centre, right edge or left edge, so all three are
  // tried.
  addAxes('y', ({ x }) => x);
  addAxes('y', ({ word: [, x, , w] }) => x + w);
  addAxes('y', ({ word: [, x] }) => x);
  return ticks;
}

/**
 * Returns sequences of tick labels whose differences in value are proportional to their distances on the
 * page.
 */
function findEvenRuns(line: readonly Tick[], axis: 'x' | 'y'): Tick[] {
  const found: Tick[] = [];
  for (let first = 0; first + MIN_TICKS <= line.length; ) {
    const [one, two] = [line[first]!, line[first + 1]!];
    const slope = (two.value - one.value) / (two[axis] - one[axis]);
    let end = first + 2;
    while (end < line.length && isNextTick(line[end - 1]!, line[end]!, axis, slope)) end++;
    const isAxis = slope !== 0 && Number.isFinite(slope) && end - first >= MIN_TICKS;
    if (isAxis) for (const each of line.slice(first, end)) found.push(each);
    first = isAxis ? end : first + 1;
  }
  return found;
}

function isNextTick(last: Tick, next: Tick, along: 'x' | 'y', slope: number): boolean {
  const step = next.value - last.value;
  const expected = slope * (next[along] - last[along]);
  return Math.abs(step - expected) <= MAX_STEP_DEVIATION * Math.abs(expected);
}
