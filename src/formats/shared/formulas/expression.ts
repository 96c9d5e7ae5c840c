import type { Scalar } from './values.ts';

/**
 * One corner of a cell range in a formula. If several cells share the formula, relative coordinates shift
 * with each cell.
 */
export interface Corner {
  row: number;
  column: number;
  rowFixed: boolean;
  columnFixed: boolean;
}

export type Operator = '+' | '-' | '*' | '/' | '^' | '&' | '=' | '<>' | '<' | '>' | '<=' | '>=';

/** Syntax tree of a formula. An area without a `sheet` name is on the same sheet as the formula. */
export type Expression =
  | { kind: 'literal'; value: Scalar }
  | { kind: 'missing' }
  | { kind: 'array'; rows: Expression[][] }
  | { kind: 'area'; sheet?: string | undefined; from: Corner; to: Corner }
  | { kind: 'name'; name: string }
  | { kind: 'call'; name: string; args: Expression[] }
  | { kind: 'sign'; negative: boolean; operand: Expression }
  | { kind: 'percent'; operand: Expression }
  | { kind: 'binary'; operator: Operator; left: Expression; right: Expression };
