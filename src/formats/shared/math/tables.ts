import type { FenceNode, MathNode, TableNode } from './nodes.ts';

/** LaTeX environments for matrices by their brackets. */
const MATRICES = new Map([
  ['()', 'pmatrix'],
  ['[]', 'bmatrix'],
  ['{}', 'Bmatrix'],
  ['||', 'vmatrix'],
  ['‖‖', 'Vmatrix'],
  ['∥∥', 'Vmatrix'],
  ['∣∣', 'vmatrix'],
  ['{', 'cases'],
]);

/** Writes rows with `between` between their cells. */
function writeRows(table: TableNode, write: (node: MathNode) => string, between: string): string {
  const lines = table.rows.map((row, at) => row.map(write).join(between).trim() + writeNumber(table, at));
  return lines.join(' \\\\ ');
}

function writeNumber({ tags, rows }: TableNode, at: number): string {
  const tag = tags?.[at];
  if (tag === undefined) return '';
  return rows.length === 1 ? ` \\tag{${tag}}` : ` \\qquad (${tag})`;
}

/**
 * Writes a table as a LaTeX environment. With a fence, the brackets become part of the environment. Returns
 * `undefined` if LaTeX has no environment with these brackets.
 */
export function writeTable(
  table: TableNode,
  write: (node: MathNode) => string,
  fence?: FenceNode,
): string | undefined {
  const environment = fence
    ? MATRICES.get(fence.open + fence.close)
    : table.layout === 'equations'
      ? 'aligned'
      : 'matrix';
  if (environment === undefined) return undefined;
  if (environment === 'aligned' && table.rows.length === 1) return writeRows(table, write, ' ');
  const body = writeRows(table, write, environment === 'aligned' ? ' &' : ' & ');
  return `\\begin{${environment}} ${body} \\end{${environment}}`;
}
