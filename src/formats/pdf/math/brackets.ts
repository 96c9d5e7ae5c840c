import type { MathNode } from '#src/formats/shared/math/nodes.ts';
import { union } from '../geometry.ts';
import { findBaselines, findSize, splitIntoRows } from './baselines.ts';
import type { ReadRow } from './fractions.ts';
import { type Item, PIECE, UnreadableFormula } from './items.ts';

/** Brackets that the pieces of a tall bracket form. The piece `⎪` belongs to left and right braces. */
const PIECES: readonly (readonly [pieces: string, bracket: string])[] = [
  ['⎛⎜⎝', '('],
  ['⎞⎟⎠', ')'],
  ['⎡⎢⎣', '['],
  ['⎤⎥⎦', ']'],
  ['⎧⎨⎩⎪', '{'],
  ['⎫⎬⎭⎪', '}'],
  ['|', '|'],
  ['‖', '‖'],
];
const BAR = /^[|‖]$/;
/** Distance in points within which the pieces of a bracket stand below one another. */
const PIECE_SLACK = 1;
const CLOSING: ReadonlyMap<string, string> = new Map([
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
  ['⟨', '⟩'],
  ['⌊', '⌋'],
  ['⌈', '⌉'],
  ['|', '|'],
  ['‖', '‖'],
]);
/** Minimum height of a bracket that grew with its content, in letter heights. */
const MIN_TALL_HEIGHT = 1.45;
/** Maximum difference of the heights of two brackets that belong together, as a share. */
const MAX_DIFFERENCE = 0.25;
/** Minimum distance between the columns of a matrix, in letter heights. */
const COLUMN_GAP = 0.8;

/** Joins the pieces of tall brackets. */
export function joinPieces(items: readonly Item[]): Item[] {
  const bars = Map.groupBy(
    items.filter(({ text }) => BAR.test(text)),
    ({ x0 }) => Math.round(x0),
  );
  const stacked = new Set([...bars.values()].filter((column) => column.length > 1).flat());
  const pieces = items.filter((item) => PIECE.test(item.text) || stacked.has(item));
  if (pieces.length === 0) return [...items];
  const stacks: Item[][] = [];
  for (const piece of pieces.toSorted((a, b) => Math.round(a.x0) - Math.round(b.x0) || a.y0 - b.y0)) {
    const stack = stacks.at(-1);
    if (stack && isBelow(piece, stack.at(-1)!)) stack.push(piece);
    else stacks.push([piece]);
  }
  const joined = stacks.map((stack) => {
    const found = PIECES.find(([family]) => stack.every(({ text }) => family.includes(text)));
    if (!found) throw new UnreadableFormula('pieces of different brackets');
    const text = found[1];
    return { ...stack[0]!, ...union(stack), text, node: { kind: 'leaf' as const, text } };
  });
  const used = new Set(pieces);
  return [...items.filter((item) => !used.has(item)), ...joined];
}

const isBelow = (piece: Item, above: Item) =>
  Math.abs(piece.x0 - above.x0) <= PIECE_SLACK && piece.y0 - above.y1 <= 2 * PIECE_SLACK;

/** Replaces tall brackets and the lines between them by matrices. */
export function readMatrices(items: readonly Item[], readRow: ReadRow): Item[] {
  const sorted = items.toSorted((a, b) => a.x0 - b.x0);
  const size = sorted.reduce((most, item) => Math.max(most, item.kind === 'letter' ? item.size : 0), 0);
  const isTall = ({ kind, y0, y1 }: Item) => kind === 'bracket' && y1 - y0 > MIN_TALL_HEIGHT * size;
  const result: Item[] = [];
  for (let at = 0; at < sorted.length; at++) {
    const open = sorted[at]!;
    const close = isTall(open) ? CLOSING.get(open.text) : undefined;
    const end =
      close === undefined
        ? -1
        : sorted.findIndex(
            (item, to) => to > at && item.text === close && isTall(item) && isAsTall(item, open),
          );
    const inner = sorted.slice(at + 1, Math.max(at + 1, end));
    if (end < 0 || inner.some(isTall) || inner.length === 0) {
      result.push(open);
      continue;
    }
    const isWithin = inner.every((item) => item.y0 > open.y0 - size && item.y1 < open.y1 + size);
    if (!isWithin) throw new UnreadableFormula('lines that extend beyond their brackets');
    result.push(toFence(open, inner, sorted[end]!, readRow));
    at = end;
  }
  return result;
}

const isAsTall = (a: Item, b: Item) =>
  Math.abs(a.y1 - a.y0 - (b.y1 - b.y0)) <= MAX_DIFFERENCE * (b.y1 - b.y0);

function toFence(open: Item, inner: readonly Item[], close: Item, readRow: ReadRow): Item {
  const rows = splitIntoRows(inner);
  const part = rows.length === 1 ? readRow(inner) : readStack(rows, open.text, readRow);
  if (part.kind === 'table' && part.rows.some((row) => row.length !== part.rows[0]!.length)) {
    throw new UnreadableFormula('a matrix with missing cells');
  }
  const size = inner.reduce((most, item) => Math.max(most, item.size), 0);
  const box = union([open, ...inner, close]);
  return {
    ...box,
    node: { kind: 'fence', open: open.text, close: close.text, parts: [part], separator: '' },
    text: '',
    base: (open.y0 + open.y1) / 2 + 0.25 * size,
    size,
    kind: 'group',
    upright: false,
    bold: false,
  };
}

/** Reads the rows of a matrix, or the two rows of a binomial coefficient. */
function readStack(rows: readonly Item[][], open: string, readRow: ReadRow): MathNode {
  const cells = rows.map((row) => splitIntoCells(row).map(readRow));
  const [over, under] = cells;
  if (cells.length === 2 && open === '(' && over?.length === 1 && under?.length === 1 && isBinomial(rows)) {
    return { kind: 'fraction', over: over[0]!, under: under[0]!, hasLine: false };
  }
  return { kind: 'table', layout: 'matrix', rows: cells };
}

/** Returns whether two rows form a binomial coefficient. The rows of a matrix have another distance. */
function isBinomial([over, under]: readonly Item[][]): boolean {
  const size = findSize(over!);
  const pitch = (findBaselines(under!)[0]! - findBaselines(over!)[0]!) / size;
  return pitch < 1.14 || pitch > 1.28;
}

function splitIntoCells(row: readonly Item[]): Item[][] {
  const cells: Item[][] = [];
  let right = -Infinity;
  for (const item of row.toSorted((a, b) => a.x0 - b.x0)) {
    if (item.x0 - right > COLUMN_GAP * item.size) cells.push([item]);
    else cells.at(-1)!.push(item);
    right = Math.max(right, item.x1);
  }
  return cells;
}
