import type { WorkBudget } from '#src/formats/shared/work-budget.ts';
import { evaluate } from './evaluate.ts';
import type { Expression } from './expression.ts';
import {
  CIRCULAR,
  CircularReference,
  ComputeFirst,
  type Formula,
  getResultAt,
  listFilledCells,
  markNotComputed,
} from './formula.ts';
import { loadLibrary } from './functions/library.ts';
import { parseFormula } from './grammar.ts';
import { countTextSteps, type FormulaSheets, toSingleValue } from './sheets.ts';
import { Area, type Matrix, type Scalar, Uncomputable } from './values.ts';
import type { FormulaCell, FormulaSheet, FormulaWorkbook, SheetResults } from './workbook.ts';

/**
 * Maximum number of evaluation steps for one workbook, which take about a second. Operations, visited cells
 * and pieces of text count as steps.
 */
const MAX_WORK = 4_000_000;
/** Number of evaluation steps after which other tasks get a turn on the event loop. */
const STEPS_BETWEEN_YIELDS = 200_000;
/**
 * Maximum nesting depth of evaluations. To avoid a stack overflow, a cell at a greater depth is computed
 * separately, with an empty call stack.
 */
const MAX_LEVELS = 600;
const MAX_NAMES = 32;
/**
 * Maximum number of cells that the array formulas of a workbook may fill. Array formulas beyond the limit
 * fill only their first cell.
 */
const MAX_FILLED_CELLS = 50_000;
const COLUMNS = 16_384;

/**
 * Maximum number of formulas in a workbook. In addition to the idle runtime, 25,000 formulas took 58 to 77
 * MiB of memory, and 50,000 took 106 to 112 MiB. A Worker has 128 MB.
 */
const MAX_FORMULAS = 30_000;

const TOO_MUCH = 'the formulas of the workbook take too much work';

/**
 * Computes the formulas that `wanted` selects, and the selected formulas to which they refer. All other
 * formulas, and formulas that fail, keep their stored values. Never throws because of a formula.
 */
export async function computeFormulas(
  workbook: FormulaWorkbook,
  wanted: (cell: FormulaCell, stored: Scalar | undefined) => boolean,
  budget: WorkBudget,
): Promise<SheetResults[]> {
  // If a workbook has too many formulas, none is computed. If only some were computed, they would treat the
  // others as empty cells.
  const count = workbook.sheets.reduce((sum, { formulas }) => sum + formulas.length, 0);
  if (count > MAX_FORMULAS) return workbook.sheets.map((sheet) => listNotComputed(sheet, wanted));
  await loadLibrary();
  const mostWork = Math.min(MAX_WORK, budget.countAffordable('formulaStep'));
  const computation = new Computation(workbook, wanted, mostWork);
  await computation.run();
  budget.spend('formulaStep', Math.min(computation.work, mostWork));
  return computation.results();
}

function listNotComputed(
  { rows, formulas }: FormulaSheet,
  wanted: Parameters<typeof computeFormulas>[1],
): SheetResults {
  const left = formulas.filter((cell) => wanted(cell, rows.get(cell.row)?.[cell.column]));
  const reason = `the workbook has more than ${MAX_FORMULAS} formulas`;
  return { computed: new Map(), notComputed: left.map(({ row, column }) => ({ row, column, reason })) };
}

class Computation implements FormulaSheets {
  readonly date1904: boolean;
  readonly #workbook: FormulaWorkbook;
  readonly #byCell: Map<number, Formula>[];
  readonly #formulas: Formula[] = [];
  readonly #indexes = new Map<string, number>();
  readonly #extents: { bottom: number; right: number }[];
  readonly #trees = new Map<string, Expression | Uncomputable>();
  readonly #mostWork: number;
  #work = 0;
  #levels = 0;
  #names = 0;

  constructor(workbook: FormulaWorkbook, wanted: Parameters<typeof computeFormulas>[1], maxWork: number) {
    this.#workbook = workbook;
    this.#mostWork = maxWork;
    this.date1904 = workbook.date1904;
    this.#extents = workbook.sheets.map(({ rows, formulas }) => {
      const extent = { bottom: -1, right: -1 };
      for (const [row, cells] of rows) {
        extent.bottom = Math.max(extent.bottom, row);
        extent.right = Math.max(extent.right, cells.length - 1);
      }
      for (const { row, column, fills } of formulas) {
        extent.bottom = Math.max(extent.bottom, row, fills?.bottom ?? 0);
        extent.right = Math.max(extent.right, column, fills?.right ?? 0);
      }
      return extent;
    });
    let left = MAX_FILLED_CELLS;
    this.#byCell = workbook.sheets.map(({ name, rows, formulas }, sheet) => {
      if (!this.#indexes.has(name.toLowerCase())) this.#indexes.set(name.toLowerCase(), sheet);
      const cells = new Map<number, Formula>();
      for (const cell of formulas) {
        if (!wanted(cell, rows.get(cell.row)?.[cell.column])) continue;
        const filledCells = listFilledCells(cell, left);
        left -= filledCells.length;
        const formula: Formula = {
          ...cell,
          sheet,
          filledCells,
          state: 'pending',
          result: null,
          reason: '',
        };
        this.#formulas.push(formula);
        for (const [row, column] of filledCells) cells.set(row * COLUMNS + column, formula);
      }
      return cells;
    });
  }

  /** Number of evaluation steps done so far for the workbook. */
  get work(): number {
    return this.#work;
  }

  async run(): Promise<void> {
    let next = STEPS_BETWEEN_YIELDS;
    for (const formula of this.#formulas) {
      this.#computeFrom(formula);
      if (this.#work < next) continue;
      next = this.#work + STEPS_BETWEEN_YIELDS;
      await scheduler.wait(0);
    }
  }

  results(): SheetResults[] {
    return this.#workbook.sheets.map((_, sheet) => {
      const results: SheetResults = { computed: new Map(), notComputed: [] };
      for (const formula of this.#formulas) {
        if (formula.sheet !== sheet) continue;
        const { row, column, reason, state } = formula;
        if (state !== 'computed') results.notComputed.push({ row, column, reason });
        else {
          for (const [y, x] of formula.filledCells) {
            const cells = results.computed.get(y) ?? new Map<number, Scalar>();
            cells.set(x, getResultAt(formula, y, x) ?? 0);
            results.computed.set(y, cells);
          }
        }
      }
      return results;
    });
  }

  /**
   * Computes a cell. If `ComputeFirst` requests another cell, that cell is computed before. Waiting cells are
   * stored in a list, which unlike the call stack cannot overflow.
   */
  #computeFrom(formula: Formula): void {
    const stack = [formula];
    while (stack.length > 0) {
      const top = stack[stack.length - 1]!;
      this.#levels = 0;
      try {
        if (top.state === 'pending') this.#compute(top);
        stack.pop();
      } catch (error) {
        const first = error instanceof ComputeFirst ? error.formula : top;
        const again = stack.indexOf(first);
        if (again < 0) stack.push(first);
        else for (const one of stack.splice(again)) markNotComputed(one, CIRCULAR);
      }
    }
  }

  /**
   * Computes one cell. Throws ComputeFirst if another cell must be computed first. The cell then remains
   * pending.
   */
  #compute(formula: Formula): void {
    if (this.#work > this.#mostWork) {
      markNotComputed(formula, TOO_MUCH);
      return;
    }
    formula.state = 'computing';
    const [levels, names] = [this.#levels, this.#names];
    try {
      formula.result = this.#evaluateFormula(formula);
      formula.state = 'computed';
    } catch (error) {
      if (error instanceof ComputeFirst) {
        formula.state = 'pending';
        throw error;
      }
      if (error instanceof CircularReference) {
        markNotComputed(formula, CIRCULAR);
        if (error.at !== formula) throw error;
      } else
        markNotComputed(
          formula,
          error instanceof Uncomputable ? error.message : 'one of its functions failed',
        );
    } finally {
      this.#levels = levels;
      this.#names = names;
    }
  }

  #evaluateFormula(formula: Formula): Scalar | Matrix {
    const { sheet, row, column, origin, fills } = formula;
    const position = {
      ...{ sheet, row, column, isArrayFormula: fills !== undefined },
      rowShift: row - (origin?.row ?? row),
      columnShift: column - (origin?.column ?? column),
    };
    const value = evaluate(this.#tree(formula.formula), this, position);
    if (!fills) return toSingleValue(value, this, position);
    return value instanceof Area ? this.matrix(value) : value;
  }

  #tree(source: string): Expression {
    let tree = this.#trees.get(source);
    if (!tree) {
      try {
        tree = parseFormula(source, this.#workbook.dialect);
      } catch (error) {
        tree = error instanceof Uncomputable ? error : new Uncomputable('its syntax is not supported');
      }
      this.#trees.set(source, tree);
      this.spend(source.length / 8);
    }
    if (tree instanceof Uncomputable) throw tree;
    return tree;
  }

  indexOf(sheet: string): number | undefined {
    return this.#indexes.get(sheet.toLowerCase());
  }

  spend(units: number): void {
    this.#work += units;
    this.#levels += 1;
    if (this.#work > this.#mostWork) throw new Uncomputable(TOO_MUCH);
  }

  cell(sheet: number, row: number, column: number): Scalar {
    this.#work += 1;
    const formula = this.#byCell[sheet]?.get(row * COLUMNS + column);
    if (formula?.state === 'computing') throw new CircularReference(formula);
    if (formula?.state === 'pending') {
      if (this.#levels > MAX_LEVELS) throw new ComputeFirst(formula);
      this.#compute(formula);
    }
    if (formula?.state === 'computed') {
      const result = getResultAt(formula, row, column);
      if (typeof result === 'string') this.spend(countTextSteps(result));
      return result;
    }
    const stored = this.#workbook.sheets[sheet]?.rows.get(row)?.[column];
    if (formula && stored === undefined) throw new Uncomputable('it refers to a cell that was not computed');
    // Operations on a text read all of it, mostly in one native call. Each piece of the text therefore counts
    // as a step.
    if (typeof stored === 'string') this.spend(countTextSteps(stored));
    return stored ?? null;
  }

  matrix({ sheet, top, left, bottom, right }: Area): Matrix {
    const extent = this.#extents[sheet] ?? { bottom: -1, right: -1 };
    const [down, across] = [
      Math.min(bottom, extent.bottom) - top + 1,
      Math.min(right, extent.right) - left + 1,
    ];
    if (down <= 0 || across <= 0) return [[null]];
    this.spend(down * across);
    return Array.from({ length: down }, (_, row) =>
      Array.from({ length: across }, (_, column) => this.cell(sheet, top + row, left + column)),
    );
  }

  findName(name: string, sheet: number): Expression | undefined {
    const called = this.#workbook.names.filter((one) => one.name.toLowerCase() === name.toLowerCase());
    const meant = called.find((one) => one.sheet === sheet) ?? called.find((one) => one.sheet === undefined);
    return meant && this.#tree(meant.formula);
  }

  resolveNested<Result>(work: () => Result): Result {
    if (++this.#names > MAX_NAMES) throw new Uncomputable('its names refer to each other');
    try {
      return work();
    } finally {
      this.#names--;
    }
  }
}
