import type { SheetFormulas } from '#src/documents/document.ts';
import { computeFormulas } from '#src/formats/shared/formulas/compute.ts';
import { isError, isSameValue, type Scalar } from '#src/formats/shared/formulas/values.ts';
import type {
  FormulaCell,
  FormulaSheet,
  FormulaWorkbook,
  SheetResults,
} from '#src/formats/shared/formulas/workbook.ts';
import type { WorkBudget } from '#src/formats/shared/work-budget.ts';
import type { SpreadsheetPlan } from '#src/parse/plan.ts';
import type { CountCells } from './budget.ts';

/** A formula of a sheet, with the data for displaying its result. */
export interface SheetFormula extends FormulaCell {
  /** True if the row or column of the cell is hidden, so that the result is not displayed. */
  hidden: boolean;
  /** Formats the numeric result of the formula as the cell displays it. */
  show: (value: number) => string;
}

export type FormulaSheetInput = FormulaSheet<SheetFormula>;

/** Texts of the visible cells of a sheet, by row and column. */
export type ShownRows = Map<number, (string | undefined)[]>;

const MAX_LISTED_CELLS = 100;

/**
 * Returns whether formulas have to be computed. This is the case if the parse plan requires it, or if a
 * formula has no stored result.
 */
export const shouldComputeFormulas = (plan: SpreadsheetPlan, hasUnstored: boolean): boolean =>
  plan.computeAll || hasUnstored;

/**
 * Computes a workbook's formulas and writes the results into the visible cells. `shown[i]` contains the
 * visible cells of `sheets[i]`, or is undefined for a sheet that is not shown. Returns a summary of the
 * formulas of each sheet.
 */
export async function fillFormulas(
  workbook: Omit<FormulaWorkbook, 'sheets'> & { sheets: FormulaSheetInput[] },
  shown: readonly (ShownRows | undefined)[],
  plan: SpreadsheetPlan,
  countCells: CountCells,
  budget: WorkBudget,
): Promise<SheetFormulas[]> {
  const results = await computeFormulas(
    workbook,
    (_, stored) => plan.computeAll || stored === undefined,
    budget,
  );
  return workbook.sheets.map((sheet, at) =>
    fillSheet(sheet, results[at]!, shown[at] ?? new Map(), countCells),
  );
}

function fillSheet(
  sheet: FormulaSheetInput,
  results: SheetResults,
  shown: ShownRows,
  countCells: CountCells,
): SheetFormulas {
  const summary: SheetFormulas = { computed: 0, stored: 0, different: [], notComputed: [] };
  for (const formula of sheet.formulas) {
    const { row, column, fills } = formula;
    if (results.computed.get(row)?.has(column)) summary.computed++;
    else if (sheet.rows.get(row)?.[column] !== undefined) summary.stored++;
    for (let y = row; y <= (fills?.bottom ?? row); y++) {
      const cells = results.computed.get(y);
      if (!cells) break;
      for (let x = column; x <= (fills?.right ?? column) && cells.has(x); x++) {
        putResult(formula, y, x, cells.get(x) ?? null);
      }
    }
  }
  for (const { row, column, reason } of results.notComputed.slice(0, MAX_LISTED_CELLS)) {
    summary.notComputed.push({ cell: cellName(row, column), reason });
  }
  return summary;

  function putResult({ hidden, show }: SheetFormula, row: number, column: number, value: Scalar): void {
    const stored = sheet.rows.get(row)?.[column];
    if (stored !== undefined && isSameValue(stored, value)) return;
    const text = formatScalar(value, show);
    if (stored !== undefined && summary.different.length < MAX_LISTED_CELLS) {
      summary.different.push({
        cell: cellName(row, column),
        stored: formatScalar(stored, show),
        computed: text,
      });
    }
    if (hidden) return;
    const line = shown.get(row) ?? [];
    countCells(line[column] === undefined ? 1 : 0, text.length);
    line[column] = text;
    shown.set(row, line);
  }
}

function formatScalar(value: Scalar, show: (value: number) => string): string {
  if (isError(value)) return value.code;
  if (typeof value === 'number') return show(value);
  return typeof value === 'boolean' ? String(value).toUpperCase() : (value ?? '').trim();
}

/** Returns the name of a cell. For example, row 0 and column 27 is 'AB1'. */
export function cellName(row: number, column: number): string {
  let letters = '';
  for (let rest = column + 1; rest > 0; rest = Math.trunc((rest - 1) / 26)) {
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  }
  return `${letters}${row + 1}`;
}
