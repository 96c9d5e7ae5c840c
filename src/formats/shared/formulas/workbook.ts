import type { Dialect } from './tokens.ts';
import type { Scalar } from './values.ts';

/** A workbook as its formulas see it: what a reader of spreadsheets hands over. Rows and columns from 0. */
export interface FormulaWorkbook {
  sheets: FormulaSheet[];
  /** Names that stand for formulas; `sheet`: where alone they do. */
  names: { name: string; formula: string; sheet?: number | undefined }[];
  dialect: Dialect;
  date1904: boolean;
}

export interface FormulaSheet<Cell extends FormulaCell = FormulaCell> {
  name: string;
  /** Stored values by row and column, results of formulas among them. */
  rows: Map<number, (Scalar | undefined)[]>;
  formulas: Cell[];
}

export interface FormulaCell {
  row: number;
  column: number;
  formula: string;
  /** Where the formula was written, when several cells share it. */
  origin?: { row: number; column: number } | undefined;
  /** An array formula's last row and column: its result fills all cells up to there. */
  fills?: { bottom: number; right: number } | undefined;
}

/** What became of the formulas of a sheet. */
export interface SheetResults {
  /** Results by row and column, of the cells that were computed. */
  computed: Map<number, Map<number, Scalar>>;
  /** Cells whose stored value stays, and why. */
  kept: { row: number; column: number; reason: string }[];
}
