import type { Dialect } from './tokens.ts';
import type { Scalar } from './values.ts';

/** Cells and formulas of a workbook, as input for computing the formulas. Rows and columns are 0-based. */
export interface FormulaWorkbook {
  sheets: FormulaSheet[];
  /**
   * Defined names of the workbook with their formulas. `sheet` is set if the name is valid on one sheet only.
   */
  names: { name: string; formula: string; sheet?: number | undefined }[];
  dialect: Dialect;
  date1904: boolean;
}

export interface FormulaSheet<Cell extends FormulaCell = FormulaCell> {
  name: string;
  /** Stored cell values by row and column, including stored results of formulas. */
  rows: Map<number, (Scalar | undefined)[]>;
  formulas: Cell[];
}

export interface FormulaCell {
  row: number;
  column: number;
  formula: string;
  /** Cell in which a shared formula was written. Absent if the formula is not shared. */
  origin?: { row: number; column: number } | undefined;
  /** Last row and column of an array formula, whose result fills all cells up to there. */
  fills?: { bottom: number; right: number } | undefined;
}

export interface SheetResults {
  /** Computed values of cells, by row and column. */
  computed: Map<number, Map<number, Scalar>>;
  /** Cells that keep their stored value, with the reason why they were not computed. */
  notComputed: { row: number; column: number; reason: string }[];
}
