import type { MathNode } from '#src/formats/shared/math/nodes.ts';
import { isLimitFunction } from '#src/formats/shared/math/symbols.ts';
import { centerX, centerY, overlapX, type Rect, union } from '../geometry.ts';
import { SCRIPT_SIZE } from './baselines.ts';
import type { ReadRow } from './fractions.ts';
import { type Item, UnreadableFormula } from './items.ts';

const INTEGRAL = /^[∫∬∭∮]$/;
const ACCENTS: ReadonlySet<string> = new Set([...'ˆ^˜~¯ˉ˙¨ˇ´`˘˚→', '\u20d7']);
/** Signs that are also written between letters. */
const ALSO_SIGN = /^[~^→`´]$/;
/** Maximum distance of a limit from its operator, in letter heights. */
const LIMIT_GAP = 0.6;

/** Joins accents with the letters below them. */
export function readAccents(items: readonly Item[]): Item[] {
  let rest = [...items];
  for (const accent of items) {
    if (!ACCENTS.has(accent.text)) continue;
    const base = rest.find((item) => item !== accent && item.kind === 'letter' && carries(item, accent));
    if (base) {
      const node: MathNode = { kind: 'accent', base: base.node, mark: accent.text, isBelow: false };
      const joined: Item = { ...base, ...union([base, accent]), node, text: '', upright: false };
      rest = rest.filter((item) => item !== base && item !== accent);
      rest.push(joined);
    } else if (!ALSO_SIGN.test(accent.text)) throw new UnreadableFormula('an accent without a letter');
  }
  return rest;
}

function carries(letter: Item, accent: Item): boolean {
  const size = letter.size;
  return (
    Math.abs(centerX(letter) - centerX(accent)) <= 0.4 * size &&
    overlapX(letter, accent) > 0 &&
    accent.y1 <= letter.y0 + 0.25 * size &&
    letter.y0 - accent.y1 <= 0.35 * size
  );
}

const takesLimits = ({ kind, node }: Item) =>
  kind === 'large' || (node.kind === 'word' && node.style === undefined && isLimitFunction(node.text));

/** Joins operators, such as sums and limits, with the smaller letters exactly above and below them. */
export function readLimits(items: readonly Item[], readRow: ReadRow): Item[] {
  let rest = [...items];
  for (const operator of items) {
    if (!takesLimits(operator)) continue;
    const over = findLimit(
      rest,
      operator,
      (item) => item.y1 <= operator.y0 + 0.15 * operator.size,
      (item) => operator.y0 - item.y1,
    );
    const under = findLimit(
      rest,
      operator,
      (item) => item.y0 >= operator.y1 - 0.15 * operator.size,
      (item) => item.y0 - operator.y1,
    );
    if (over.length === 0 && under.length === 0) continue;
    // Scripts of integrals stand beside the sign unless they are wider than it.
    const isBeside = [...over, ...under].every((item) => item.x0 >= operator.x0);
    if (INTEGRAL.test(operator.text) && isBeside) continue;
    const used = new Set([operator, ...over, ...under]);
    const { x0, x1 } = union([...used]);
    rest = rest.filter((item) => !used.has(item));
    rest.push({
      ...operator,
      x0,
      x1,
      text: '',
      node: {
        kind: 'scripts',
        base: operator.node,
        sub: under.length > 0 ? readRow(under) : undefined,
        sup: over.length > 0 ? readRow(over) : undefined,
        isStacked: true,
      },
    });
  }
  return rest;
}

function findLimit(
  items: readonly Item[],
  operator: Item,
  isBeyond: (item: Item) => boolean,
  distance: (item: Item) => number,
): Item[] {
  const { size } = operator;
  const small = items.filter(
    (item) =>
      item !== operator && item.size <= SCRIPT_SIZE * size && isBeyond(item) && distance(item) <= 2 * size,
  );
  const start = small.filter(
    (item) =>
      centerX(item) > operator.x0 - 0.5 * size &&
      centerX(item) < operator.x1 + 0.5 * size &&
      distance(item) <= LIMIT_GAP * size,
  );
  if (start.length === 0) return [];
  const found = new Set(start);
  let box: Rect = union(start);
  // Items further away join from the middle outwards.
  const others = small
    .filter((item) => !found.has(item))
    .toSorted((a, b) => Math.abs(centerX(a) - centerX(operator)) - Math.abs(centerX(b) - centerX(operator)));
  for (const item of others) {
    const gap = Math.max(item.x0 - box.x1, box.x0 - item.x1);
    const isLevel = centerY(item) > box.y0 - 0.3 * item.size && centerY(item) < box.y1 + 0.3 * item.size;
    if (gap > 0.5 * item.size || !isLevel) continue;
    found.add(item);
    box = union([box, item]);
  }
  return [...found];
}
