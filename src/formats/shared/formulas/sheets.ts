import type { Expression } from './expression.ts';
import { Area, CellError, isMatrix, type Matrix, type Scalar, type Value } from './values.ts';

/**
 * Position of a formula. For a shared formula, `rowShift` and `columnShift` are the distance in cells from
 * the cell in which the formula was written.
 */
export interface FormulaPosition {
  sheet: number;
  row: number;
  column: number;
  rowShift: number;
  columnShift: number;
  /**
   * True for an array formula, in which a range represents all of its cells. In other formulas, a range
   * represents only the cell in the formula's own row or column.
   */
  isArrayFormula: boolean;
}

/** Access to the sheets of a workbook while formulas are evaluated. */
export interface FormulaSheets {
  readonly date1904: boolean;
  indexOf(sheet: string): number | undefined;
  cell(sheet: number, row: number, column: number): Scalar;
  /** Returns the values of the cells in an area, up to the last used row and column of the sheet. */
  matrix(area: Area): Matrix;
  findName(name: string, sheet: number): Expression | undefined;
  /** Counts evaluation steps. Throws Uncomputable if the workbook takes too many steps. */
  spend(units: number): void;
  /**
   * Runs `work`, which resolves a defined name, one nesting level deeper. Throws Uncomputable if names refer
   * to each other endlessly.
   */
  resolveNested<Result>(work: () => Result): Result;
}

const CHARACTERS_PER_STEP = 16;

/** Returns how many additional evaluation steps an operation on this text counts. */
export const countTextSteps = (text: string): number => text.length / CHARACTERS_PER_STEP;

/**
 * Reduces a value to the value of one cell. A range is reduced to the cell in the formula's own row or
 * column, and a matrix to its first cell.
 */
export function toSingleValue(value: Value, sheets: FormulaSheets, position: FormulaPosition): Scalar {
  if (value instanceof Area) {
    if (value.isCell) return sheets.cell(value.sheet, value.top, value.left);
    if (value.left === value.right && position.row >= value.top && position.row <= value.bottom)
      return sheets.cell(value.sheet, position.row, value.left);
    if (value.top === value.bottom && position.column >= value.left && position.column <= value.right)
      return sheets.cell(value.sheet, value.top, position.column);
    return new CellError('#VALUE!');
  }
  return isMatrix(value) ? (value[0]?.[0] ?? null) : value;
}
