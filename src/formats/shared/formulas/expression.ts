import type { Scalar } from './values.ts';

/** One corner of a reference. A part that is not fixed moves with a formula that cells share. */
export interface Corner {
  row: number;
  column: number;
  rowFixed: boolean;
  columnFixed: boolean;
}

export type Operator = '+' | '-' | '*' | '/' | '^' | '&' | '=' | '<>' | '<' | '>' | '<=' | '>=';

/** A formula's tree. `sheet` is a name; absent: the formula's own. */
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
