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

const writeRows = (table: TableNode, write: (node: MathNode) => string): string =>
  table.rows.map((row, at) => joinRow(row.map(write)) + writeNumber(table, at)).join(' \\\\ ');

const joinRow = (cells: string[]) => cells.join(' & ').trim();

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
  const body = writeRows(table, write);
  const isSingle = table.rows.length === 1 && table.layout === 'equations' && !fence;
  return isSingle ? body.replaceAll(' & ', ' ') : `\\begin{${environment}} ${body} \\end{${environment}}`;
}
