import type { Expression } from './expression.ts';
import { Area, CellError, isMatrix, type Matrix, type Scalar, type Value } from './values.ts';

/** Where a formula stands, and how far it is from where it was written when cells share it. */
export interface Place {
  sheet: number;
  row: number;
  column: number;
  down: number;
  across: number;
  /** Ranges stand for all of their cells, not for the one beside the formula. */
  array: boolean;
}

/** What formulas see of a workbook. */
export interface Sheets {
  readonly date1904: boolean;
  indexOf(sheet: string): number | undefined;
  cell(sheet: number, row: number, column: number): Scalar;
  /** The cells of an area, as far as the sheet goes. */
  matrix(area: Area): Matrix;
  named(name: string, sheet: number): Expression | undefined;
  /** Counts work. Throws Uncomputable once it is too much for one workbook. */
  spend(units: number): void;
  /** Throws Uncomputable where names stand for each other without an end. */
  deeper<Result>(work: () => Result): Result;
}

const CHARACTERS_A_STEP = 16;

/** Returns how many steps an operation on a text counts for, beside its own. */
export const countTextSteps = (text: string): number => text.length / CHARACTERS_A_STEP;

/** One value: of a range the cell in the formula's own row or column, of a matrix the first. */
export function single(value: Value, sheets: Sheets, place: Place): Scalar {
  if (value instanceof Area) {
    if (value.isCell) return sheets.cell(value.sheet, value.top, value.left);
    if (value.left === value.right && place.row >= value.top && place.row <= value.bottom)
      return sheets.cell(value.sheet, place.row, value.left);
    if (value.top === value.bottom && place.column >= value.left && place.column <= value.right)
      return sheets.cell(value.sheet, value.top, place.column);
    return new CellError('#VALUE!');
  }
  return isMatrix(value) ? (value[0]?.[0] ?? null) : value;
}
