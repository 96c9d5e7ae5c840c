import type { MathNode } from '#src/formats/shared/math/nodes.ts';
import { isBinary, isRelation } from '#src/formats/shared/math/symbols.ts';
import { type Item, UnreadableFormula } from './items.ts';

type Role = 'relation' | 'binary' | 'open' | 'operand';

function findRole(node: MathNode): Role {
  if (node.kind !== 'leaf') return 'operand';
  if (node.text === '/' || node.text === '|') return 'operand';
  if (isRelation(node.text)) return 'relation';
  if (isBinary(node.text)) return 'binary';
  return /^[([{⟨⌊⌈]$/.test(node.text) ? 'open' : 'operand';
}

/** Returns whether a sign may stand before a number or letter without an operand at its left. */
const isUnary = (node: MathNode) => node.kind === 'leaf' && /^[-−–+±∓∗*∼·⋅]$/.test(node.text);

/** Throws `UnreadableFormula` if an operator of a formula has no operand, because a part has not been found. */
export function checkOperators(node: MathNode): void {
  const items = node.kind === 'row' ? node.items : [node];
  let before: Role | undefined;
  for (const item of items) {
    if (item.kind === 'leaf' && item.text === '\u0338') throw new UnreadableFormula('a slash over nothing');
    const role = findRole(item);
    const needsOperand = before === 'relation' || before === 'binary' || before === 'open';
    const isMissing =
      (role === 'binary' && !isUnary(item) && (before === undefined || needsOperand)) ||
      (role === 'binary' && before === 'binary') ||
      (role === 'relation' && (before === 'relation' || before === 'binary' || before === 'open'));
    if (isMissing) throw new UnreadableFormula('an operator without an operand');
    before = role;
  }
  if (before === 'relation' || before === 'binary' || before === 'open') {
    throw new UnreadableFormula('an operator at the end');
  }
}

/** Thrown if the lines of a formula are the rows of a table. */
export class LooksLikeTable extends Error {
  override readonly name = 'LooksLikeTable';
}

/** Minimum distance between columns, and maximum distance of their edges in different rows, in letter heights. */
const COLUMN_GAP = 1;
const COLUMN_SLACK = 0.5;

/** Throws `LooksLikeTable` if wide gaps in different lines end at the same position. */
export function checkColumns(rows: readonly (readonly Item[])[]): void {
  const edges: number[] = [];
  for (const row of rows) {
    const sorted = row.toSorted((a, b) => a.x0 - b.x0);
    const own: number[] = [];
    let right = Infinity;
    for (const { x0, x1, size } of sorted) {
      if (x0 - right > COLUMN_GAP * size) {
        if (edges.some((edge) => Math.abs(edge - x0) <= COLUMN_SLACK * size)) throw new LooksLikeTable();
        own.push(x0);
      }
      right = Math.max(right === Infinity ? x1 : right, x1);
    }
    for (const edge of own) edges.push(edge);
  }
}
