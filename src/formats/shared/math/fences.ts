import { type FenceNode, type MathNode, toRow } from './nodes.ts';

const CLOSING = new Map([
  ['(', ')'],
  ['[', ']'],
  ['{', '}'],
  ['⟨', '⟩'],
  ['⌊', '⌋'],
  ['⌈', '⌉'],
  ['⟦', '⟧'],
]);
const CLOSERS = new Set(CLOSING.values());
/** Bars look the same on both sides, so they are only paired around a single table. */
const BARS = new Set(['|', '‖', '∣', '∥']);
/**
 * Maximum number of brackets inside each other in a row, and maximum depth of a row in its formula. Brackets
 * beyond these limits stay single signs, so that the recursion of writers is bounded.
 */
const MAX_NESTED = 8;
const MAX_ROW_DEPTH = 40;

const signs = (node: MathNode | undefined) => (node?.kind === 'leaf' ? node.text : undefined);

interface OpenFence {
  open: string;
  /** Position of the opening bracket in the output. */
  at: number;
}

/**
 * Joins matching brackets of a row and the items between them into fences. `depth` is the number of elements
 * around the row.
 */
export function pairFences(items: MathNode[], depth: number): MathNode[] {
  if (depth > MAX_ROW_DEPTH) return items;
  const out: MathNode[] = [];
  const open: OpenFence[] = [];
  for (const [index, item] of items.entries()) {
    const sign = signs(item);
    if (sign !== undefined && CLOSERS.has(sign)) {
      const at = open.findLastIndex((one) => CLOSING.get(one.open) === sign);
      const opened = open[at];
      if (opened && at >= open.length - 1) {
        const inner = out.splice(opened.at).slice(1);
        out.push(buildFence(opened.open, sign, inner));
        open.length = at;
        continue;
      }
    }
    const before = signs(out.at(-2));
    if (sign !== undefined && BARS.has(sign) && before === sign && out.at(-1)?.kind === 'table') {
      const inner = out.splice(-2).slice(1);
      out.push(buildFence(sign, sign, inner));
      continue;
    }
    if (sign !== undefined && CLOSING.has(sign) && open.length < MAX_NESTED) {
      // A brace in front of the last table of a row has no partner and opens a list of cases.
      if (sign === '{' && index === items.length - 2 && items.at(-1)?.kind === 'table') {
        out.push(buildFence('{', '', [items.at(-1)!]));
        return out;
      }
      open.push({ open: sign, at: out.length });
    }
    out.push(item);
  }
  return out;
}

const buildFence = (open: string, close: string, items: MathNode[]): FenceNode => ({
  kind: 'fence',
  open,
  close,
  parts: [toRow(items)],
  separator: '',
});
