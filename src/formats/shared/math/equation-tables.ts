import type { Run } from '../flow/runs.ts';
import { toFormulaRun } from './formula.ts';
import { parseEquationNumber } from './numbers.ts';

const isBlankCell = (runs: readonly Run[]) =>
  runs.every((run) => run.markdown === undefined && run.text.trim() === '');

/** Joins the formulas of a row into one displayed formula with the row's number. */
function joinRow(cells: readonly (readonly Run[])[]): { runs: Run[]; hasNumber: boolean } | undefined {
  const latex: string[] = [];
  const plain: string[] = [];
  let tag: string | undefined;
  for (const cell of cells) {
    if (isBlankCell(cell)) continue;
    const formulas = cell.filter((run) => run.formula !== undefined);
    const text = cell.filter((run) => run.formula === undefined);
    if (formulas.length === 0) {
      const number = parseEquationNumber(text.map((run) => run.text).join(''));
      if (number === undefined || tag !== undefined) return undefined;
      tag = number;
    } else if (isBlankCell(text)) {
      for (const run of formulas) {
        latex.push(run.formula?.latex ?? '');
        plain.push(run.text);
      }
    } else return undefined;
  }
  if (latex.length === 0) return undefined;
  const isUntagged = tag === undefined;
  const formula = {
    latex: latex.join(' ') + (isUntagged ? '' : ` \\tag{${tag}}`),
    plain: plain.join(' ') + (isUntagged ? '' : ` (${tag})`),
    isDisplay: true,
  };
  return { runs: [toFormulaRun(formula)], hasNumber: tag !== undefined };
}

/**
 * Returns the equations of a table that only places equations beside their numbers, one list of runs for each
 * row. Returns `undefined` for other tables.
 */
export function readEquationTable(rows: readonly (readonly (readonly Run[])[])[]): Run[][] | undefined {
  const equations: Run[][] = [];
  let hasNumber = false;
  for (const row of rows) {
    const joined = joinRow(row);
    if (!joined) return undefined;
    equations.push(joined.runs);
    hasNumber ||= joined.hasNumber;
  }
  return hasNumber ? equations : undefined;
}
