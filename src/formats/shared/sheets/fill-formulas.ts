import type { SheetFormulas } from '#src/documents/document.ts';
import { computeFormulas } from '#src/formats/shared/formulas/compute.ts';
import { isError, type Scalar, sameValue } from '#src/formats/shared/formulas/values.ts';
import type {
  FormulaCell,
  FormulaSheet,
  FormulaWorkbook,
  SheetResults,
} from '#src/formats/shared/formulas/workbook.ts';
import type { WorkBudget } from '#src/formats/shared/work-budget.ts';
import type { SpreadsheetPlan } from '#src/parse/plan.ts';
import type { TakeCells } from './budget.ts';

/** A formula as a reader of spreadsheets finds it. */
export interface SheetFormula extends FormulaCell {
  /** Its row or column is left out. */
  hidden: boolean;
  /** A number as the cell shows it. */
  show: (value: number) => string;
}

export type ReadSheet = FormulaSheet<SheetFormula>;

/** What is shown of a sheet, by row and column. */
export type ShownRows = Map<number, (string | undefined)[]>;

const MAX_TOLD = 100;

/** Returns whether formulas are computed: all if the plan says so, otherwise those without a stored result. */
export const wantsFormulas = (plan: SpreadsheetPlan, hasUnstored: boolean): boolean =>
  plan.computeAll || hasUnstored;

/**
 * Computes a workbook's formulas and puts the results into what is shown of its sheets; `shown[i]`, of `sheets[i]`,
 * is undefined for a sheet that is not shown. Gives what became of the formulas of each.
 */
export async function fillFormulas(
  workbook: Omit<FormulaWorkbook, 'sheets'> & { sheets: ReadSheet[] },
  shown: readonly (ShownRows | undefined)[],
  plan: SpreadsheetPlan,
  takeCells: TakeCells,
  budget: WorkBudget,
): Promise<SheetFormulas[]> {
  const results = await computeFormulas(
    workbook,
    (_, stored) => plan.computeAll || stored === undefined,
    budget,
  );
  return workbook.sheets.map((sheet, at) => fill(sheet, results[at]!, shown[at] ?? new Map(), takeCells));
}

function fill(
  sheet: ReadSheet,
  results: SheetResults,
  shown: ShownRows,
  takeCells: TakeCells,
): SheetFormulas {
  const told: SheetFormulas = { computed: 0, stored: 0, different: [], notComputed: [] };
  for (const formula of sheet.formulas) {
    const { row, column, fills } = formula;
    if (results.computed.get(row)?.has(column)) told.computed++;
    else if (sheet.rows.get(row)?.[column] !== undefined) told.stored++;
    for (let y = row; y <= (fills?.bottom ?? row); y++) {
      const cells = results.computed.get(y);
      if (!cells) break;
      for (let x = column; x <= (fills?.right ?? column) && cells.has(x); x++) {
        put(formula, y, x, cells.get(x) ?? null);
      }
    }
  }
  for (const { row, column, reason } of results.kept.slice(0, MAX_TOLD)) {
    told.notComputed.push({ cell: cellName(row, column), reason });
  }
  return told;

  function put({ hidden, show }: SheetFormula, row: number, column: number, value: Scalar): void {
    const stored = sheet.rows.get(row)?.[column];
    if (stored !== undefined && sameValue(stored, value)) return;
    const text = textOf(value, show);
    if (stored !== undefined && told.different.length < MAX_TOLD) {
      told.different.push({ cell: cellName(row, column), stored: textOf(stored, show), computed: text });
    }
    if (hidden) return;
    const line = shown.get(row) ?? [];
    takeCells(line[column] === undefined ? 1 : 0, text.length);
    line[column] = text;
    shown.set(row, line);
  }
}

function textOf(value: Scalar, show: (value: number) => string): string {
  if (isError(value)) return value.code;
  if (typeof value === 'number') return show(value);
  return typeof value === 'boolean' ? String(value).toUpperCase() : (value ?? '').trim();
}

/** [0, 27] as 'AB1'. */
export function cellName(row: number, column: number): string {
  let letters = '';
  for (let rest = column + 1; rest > 0; rest = Math.trunc((rest - 1) / 26)) {
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  }
  return `${letters}${row + 1}`;
}
