import { isSign, type MathNode, type ScriptsNode } from '../nodes.ts';

const isOperand = (node: MathNode | undefined): node is MathNode =>
  node !== undefined &&
  (node.kind !== 'leaf' || /^[\p{L}\p{N}]/u.test(node.text)) &&
  node.kind !== 'space' &&
  node.kind !== 'break';

/**
 * Builds scripts from carets and underscores that were typed but not converted by the editor, as in "x^2".
 * Signs without an operand on both sides stay as they are.
 */
export function resolveLinearScripts(items: MathNode[]): MathNode[] {
  if (!items.some((item) => isSign(item, '^') || isSign(item, '_'))) return items;
  const out: MathNode[] = [];
  for (let at = 0; at < items.length; at++) {
    const item = items[at]!;
    const isSup = isSign(item, '^');
    const base = out.at(-1);
    const next = items[at + 1];
    if ((isSup || isSign(item, '_')) && isOperand(base) && isOperand(next)) {
      const existing = base.kind === 'scripts' && !base.isBefore ? base : undefined;
      const isFree = existing && (isSup ? !existing.sup : !existing.sub);
      const scripts: ScriptsNode = isFree ? existing : { kind: 'scripts', base };
      out[out.length - 1] = isSup ? { ...scripts, sup: next } : { ...scripts, sub: next };
      at++;
    } else out.push(item);
  }
  return out;
}
