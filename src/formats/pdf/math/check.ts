import type { MathNode } from '#src/formats/shared/math/nodes.ts';
import { isBinary, isRelation } from '#src/formats/shared/math/symbols.ts';
import { UnreadableFormula } from './items.ts';

type Role = 'relation' | 'binary' | 'open' | 'operand';

function findRole(node: MathNode): Role {
  if (node.kind !== 'leaf') return 'operand';
  if (node.text === '/' || node.text === '|') return 'operand';
  if (isRelation(node.text)) return 'relation';
  if (isBinary(node.text)) return 'binary';
  return /^[([{⟨⌊⌈]$/.test(node.text) ? 'open' : 'operand';
}

/** Signs that may stand before a number or letter. */
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
