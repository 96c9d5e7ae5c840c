import { type MathNode, toRow } from '#src/formats/shared/math/nodes.ts';
import { isBinary, isKnownFunction, isRelation } from '#src/formats/shared/math/symbols.ts';
import { centerY, union } from '../geometry.ts';
import { findBaselines, findSize, SCRIPT_SIZE } from './baselines.ts';
import { AXIS, type Item, UnreadableFormula } from './items.ts';
import { readLimits } from './scripts.ts';
import { joinSignParts } from './signs.ts';

/** Maximum distance in letter heights of a letter from the baseline of its row. */
const LEVEL = 0.15;
const MIN_RAISE = 0.15;
const MIN_DROP = 0.03;
/** Maximum distance of a script from its base, in letter heights. */
const SCRIPT_GAP = 0.7;
/** Maximum distance between the letters of a name, such as "sin", in letter heights. */
const NAME_GAP = 0.13;
const PRIME = /^[′″‴]$/;
/** Words of sentences between formulas. */
const SENTENCE_WORDS = new Set(
  'and or if for with where when then is in of to the on by as at we it et ou si pour avec und oder wenn mit für'.split(
    ' ',
  ),
);
/** Maximum share of a letter's width that another letter may cover. Slanted letters overlap a little. */
const MAX_COVERED = 0.45;

/** Reads the items of one row: letters on the baseline, and the scripts of these letters. */
export function readRow(items: readonly Item[]): MathNode {
  const row = joinSignParts(readLimits(joinNames(items), readRow).toSorted((a, b) => a.x0 - b.x0));
  const baselines = findBaselines(row);
  if (baselines.length !== 1) throw new UnreadableFormula('several lines where one is expected');
  const level = { base: baselines[0]!, size: findSize(row) };
  const nodes: MathNode[] = [];
  let last: Item | undefined;
  for (let at = 0; at < row.length; ) {
    const item = row[at]!;
    if (findPlace(item, level) === 'line') {
      if (last) checkApart(last, item);
      nodes.push(item.node);
      last = item;
      at++;
      continue;
    }
    let end = at;
    while (end < row.length && findPlace(row[end]!, level) !== 'line') end++;
    const base = nodes.pop();
    if (!base || !last) throw new UnreadableFormula('a script without a base');
    nodes.push(readScripts(base, last, row.slice(at, end), level));
    at = end;
  }
  return toRow(nodes);
}

interface Level {
  base: number;
  size: number;
}

/** Returns where an item stands in its row. `script` items are smaller than the letters of the row. */
function findPlace(item: Item, { base, size }: Level): 'line' | 'script' {
  if (PRIME.test(item.text)) return 'script';
  const isSmall = item.size < SCRIPT_SIZE * size;
  if (!isSmall && Math.abs(item.base - base) <= LEVEL * size) return 'line';
  if (item.kind === 'letter' || item.kind === 'sign') {
    if (isSmall) return 'script';
    throw new UnreadableFormula('a letter between two lines');
  }
  const axis = base - AXIS * size;
  const height = item.y1 - item.y0;
  const center = item.kind === 'group' ? item.base - AXIS * item.size : centerY(item);
  if (Math.abs(center - axis) <= 0.15 * size + (item.kind === 'group' ? 0 : 0.1 * height)) return 'line';
  if (isSmall) return 'script';
  throw new UnreadableFormula('a bracket or operator between two lines');
}

function checkApart(before: Item, after: Item): void {
  const covered = before.x1 - after.x0;
  const width = Math.min(before.x1 - before.x0, after.x1 - after.x0);
  if (covered > MAX_COVERED * width && covered > 0.1 * after.size)
    throw new UnreadableFormula('letters over each other');
}

function readScripts(base: MathNode, baseItem: Item, items: readonly Item[], level: Level): MathNode {
  const sign = base.kind === 'leaf' ? base.text : '';
  if (isRelation(sign) || isBinary(sign) || /^[([{,;:]$/.test(sign)) {
    throw new UnreadableFormula('a script without a letter');
  }
  let right = baseItem.x1;
  for (const item of items) {
    if (item.x0 - right > SCRIPT_GAP * level.size) throw new UnreadableFormula('a script far from its base');
    right = Math.max(right, item.x1);
  }
  const sup = items.filter((item) => isRaised(item, items, level));
  const raised = new Set(sup);
  const sub = items.filter((item) => !raised.has(item));
  return {
    kind: 'scripts',
    base,
    sub: sub.length > 0 ? readRow(sub) : undefined,
    sup: sup.length > 0 ? (readPrimes(sup) ?? readRow(sup)) : undefined,
  };
}

/** Returns the node of a superscript that only consists of primes. */
function readPrimes(items: readonly Item[]): MathNode | undefined {
  if (!items.every(({ text }) => PRIME.test(text))) return undefined;
  return { kind: 'leaf', text: items.map(({ text }) => text).join('') };
}

function isRaised(item: Item, items: readonly Item[], { base, size }: Level): boolean {
  if (PRIME.test(item.text)) return true;
  const largest = findSize(items.filter(({ text }) => !PRIME.test(text)));
  // Scripts of scripts are above or below the axis together with what they belong to.
  if (item.size < SCRIPT_SIZE * largest) return centerY(item) < base - AXIS * size;
  if (item.base < base - MIN_RAISE * size) return true;
  if (item.base > base + MIN_DROP * size) return false;
  throw new UnreadableFormula('a small letter on the line');
}

/** Joins upright letters without space between them to names, such as "sin" or "max". */
function joinNames(items: readonly Item[]): Item[] {
  const letters = items.filter(({ upright, bold }) => upright && !bold).toSorted((a, b) => a.x0 - b.x0);
  const names: Item[][] = [];
  for (const letter of letters) {
    const name = names.findLast((each) => continues(each.at(-1)!, letter));
    if (name) name.push(letter);
    else names.push([letter]);
  }
  const joined = names.filter((name) => name.length > 1).map(toName);
  const used = new Set(names.filter((name) => name.length > 1).flat());
  return [...items.filter((item) => !used.has(item)), ...joined];
}

const continues = (before: Item, after: Item) =>
  Math.abs(before.base - after.base) < 0.05 * after.size &&
  Math.abs(before.size - after.size) < 0.1 * after.size &&
  after.x0 - before.x1 < NAME_GAP * after.size &&
  after.x0 > before.x0;

function toName(letters: readonly Item[]): Item {
  const text = letters.map((letter) => letter.text).join('');
  if (SENTENCE_WORDS.has(text)) throw new UnreadableFormula(`the word ${text}`);
  const node: MathNode = { kind: 'word', text, ...(!isKnownFunction(text) && { style: 'upright' as const }) };
  return { ...letters[0]!, ...union(letters), text: '', node };
}
