import type { Block, Box, Word } from '#src/documents/document.ts';
import { linesOf } from './text/lines.ts';
import { type Ids, type Token, tokensOf } from './text/tokens.ts';

/** Text printed inside a chart. */
export interface ChartLabels {
  /** Numbers except those of the axes. */
  numbers: Token[];
  words: Token[];
  /** Numbers of the axes. */
  ticks: Token[];
  /** All labels. A table of the chart's values need not repeat them. */
  all: Token[];
}

/** Minimum number of evenly spaced numbers of an axis. */
const FEWEST_TICKS = 3;
/** Tolerances of axis labels: points off the line, and share of a step. */
const OUT_OF_LINE = 3;
const UNEVEN = 0.08;
/** Maximum number of words in a chart. */
const MOST_WORDS = 2_000;
/** The share of a block within the area from which on its words are the chart's. */
const OWN_SHARE = 0.6;

/** The labels within one of the areas; `blocks` tell words of the text around a chart from its own. */
export function labelsIn(
  areas: readonly Box[],
  words: readonly Word[] | undefined,
  blocks: readonly Pick<Block, 'box'>[] | undefined,
  ids: Ids,
): ChartLabels {
  const labels: ChartLabels = { numbers: [], words: [], ticks: [], all: [] };
  for (const area of areas) {
    const others = (blocks ?? []).flatMap(({ box }) => (box && isPartly(box, area) ? [box] : []));
    const own = (words ?? [])
      .filter((word) => isIn(word, area) && !others.some((box) => isIn(word, box)))
      .slice(0, MOST_WORDS);
    const onAxes = ticksOf(own);
    for (const word of own) {
      for (const token of tokensOf(word[0], ids)) {
        if (onAxes.has(word)) labels.ticks.push(token);
        else if (token.kind === 'number') labels.numbers.push(token);
        else if (token.letters.length > 2) labels.words.push(token);
      }
    }
    for (const each of linesOf(own, ids)) labels.all.push(each);
  }
  return labels;
}

const isIn = ([, x, y, w, h]: Word, box: Box) => {
  const [left, top] = [x + w / 2 - box.x, y + h / 2 - box.y];
  return left >= 0 && left <= box.w && top >= 0 && top <= box.h;
};

/** Whether it reaches into the area, and most of it lies outside. */
function isPartly(box: Box, area: Box): boolean {
  const width = Math.min(box.x + box.w, area.x + area.w) - Math.max(box.x, area.x);
  const height = Math.min(box.y + box.h, area.y + area.h) - Math.max(box.y, area.y);
  return width > 0 && height > 0 && width * height < OWN_SHARE * box.w * box.h;
}

interface Tick {
  word: Word;
  value: number;
  x: number;
  y: number;
}

/** Numbers in a row or a column whose values grow as their places do. */
function ticksOf(words: readonly Word[]): Set<Word> {
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
      while (end < sorted.length && offset(sorted[end]!) - offset(sorted[end - 1]!) <= OUT_OF_LINE) end++;
      const line = sorted.slice(first, end).sort((a, b) => a[along] - b[along]);
      for (const tick of evenIn(line, along)) ticks.add(tick.word);
      first = end;
    }
  };
  addAxes('x', ({ y }) => y);
  // Labels of an upright axis begin, end or stand in the middle in line.
  addAxes('y', ({ x }) => x);
  addAxes('y', ({ word: [, x, , w] }) => x + w);
  addAxes('y', ({ word: [, x] }) => x);
  return ticks;
}

/** The longest runs in a line whose steps in value go with their steps in place. */
function evenIn(line: readonly Tick[], along: 'x' | 'y'): Tick[] {
  const found: Tick[] = [];
  for (let first = 0; first + FEWEST_TICKS <= line.length; ) {
    const [one, two] = [line[first]!, line[first + 1]!];
    const slope = (two.value - one.value) / (two[along] - one[along]);
    let end = first + 2;
    while (end < line.length && isNext(line[end - 1]!, line[end]!, along, slope)) end++;
    const isAxis = slope !== 0 && Number.isFinite(slope) && end - first >= FEWEST_TICKS;
    if (isAxis) for (const each of line.slice(first, end)) found.push(each);
    first = isAxis ? end : first + 1;
  }
  return found;
}

function isNext(last: Tick, next: Tick, along: 'x' | 'y', slope: number): boolean {
  const step = next.value - last.value;
  const expected = slope * (next[along] - last[along]);
  return Math.abs(step - expected) <= UNEVEN * Math.abs(expected);
}
