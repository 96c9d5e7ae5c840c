/** Typeface of letters in a formula. `undefined` means the default, which is italic for single letters. */
export type MathStyle =
  | 'upright'
  | 'bold'
  | 'bold-italic'
  | 'double-struck'
  | 'script'
  | 'fraktur'
  | 'sans-serif'
  | 'monospace';

export interface TableNode {
  kind: 'table';
  /** Cells of the table by row. */
  rows: MathNode[][];
  /** `equations` aligns lines at their relation signs, `matrix` centers its cells. */
  layout: 'matrix' | 'equations';
  /** Equation numbers by row, without brackets. Sparse: rows without a number have no entry. */
  tags?: (string | undefined)[];
}

export interface FenceNode {
  kind: 'fence';
  /** Opening bracket. An empty string means that nothing is drawn. */
  open: string;
  close: string;
  parts: MathNode[];
  /** Character between the parts. */
  separator: string;
}

export interface AccentNode {
  kind: 'accent';
  base: MathNode;
  /** Character that is drawn above or below the base. */
  mark: string;
  isBelow: boolean;
}

export interface ScriptsNode {
  kind: 'scripts';
  base: MathNode;
  sub?: MathNode | undefined;
  sup?: MathNode | undefined;
  /** True if the scripts stand before the base. */
  isBefore?: boolean;
  /** True if the scripts stand exactly below and above the base. */
  isStacked?: boolean;
}

/**
 * A formula as a tree, independent of the format that it was read from. `leaf` contains characters in math
 * mode, `word` a multi-letter name such as "sin", and `text` ordinary words.
 */
export type MathNode =
  | { kind: 'row'; items: MathNode[] }
  | { kind: 'leaf'; text: string; style?: MathStyle | undefined }
  | { kind: 'word'; text: string; style?: MathStyle | undefined }
  | { kind: 'text'; text: string }
  | { kind: 'space' }
  | { kind: 'break' }
  | { kind: 'fraction'; over: MathNode; under: MathNode; hasLine: boolean }
  | { kind: 'root'; base: MathNode; degree?: MathNode | undefined }
  | { kind: 'box'; base: MathNode }
  | { kind: 'phantom'; base: MathNode }
  | ScriptsNode
  | AccentNode
  | FenceNode
  | TableNode;

/** Builds a row. A row with a single item is the item itself. */
export function toRow(items: MathNode[]): MathNode {
  return items.length === 1 ? items[0]! : { kind: 'row', items };
}

export const isSign = (node: MathNode | undefined, sign: string): boolean =>
  node?.kind === 'leaf' && node.text === sign;

export const isEmptyNode = (node: MathNode): boolean =>
  (node.kind === 'row' && node.items.every(isEmptyNode)) ||
  ((node.kind === 'leaf' || node.kind === 'text') && node.text.trim() === '') ||
  node.kind === 'space';
