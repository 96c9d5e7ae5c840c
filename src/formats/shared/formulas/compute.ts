import type { WorkBudget } from '#src/formats/shared/work-budget.ts';
import { evaluate } from './evaluate.ts';
import type { Expression } from './expression.ts';
import { loadLibrary } from './functions/library.ts';
import { parseFormula } from './grammar.ts';
import { countTextSteps, type Sheets, single } from './sheets.ts';
import { Area, type Matrix, type Scalar, Uncomputable } from './values.ts';
import type { FormulaCell, FormulaSheet, FormulaWorkbook, SheetResults } from './workbook.ts';

/** Steps of one workbook: operations, cells looked at, and pieces of text; four million take about a second. */
const MAX_WORK = 4_000_000;
/** Of these, what is done before others get their turn. */
const TURN = 200_000;
/** Levels of trees within trees before the innermost cell is computed by itself, from an empty stack. */
const MAX_LEVELS = 600;
const MAX_NAMES = 32;
/** Cells that the array formulas of a workbook may fill; the others of them fill their first. */
const MAX_FILLED = 50_000;
const COLUMNS = 16_384;

/** 25,000 took 58 to 77 MiB beside the idle runtime, 50,000 took 106 to 112 and 100,000 took 171, of a Worker's 128 MB. */
const MAX_FORMULAS = 30_000;

const CIRCULAR = 'it depends on itself';
const TOO_MUCH = 'the workbook has more to compute than is done for one';

interface Formula extends FormulaCell {
  sheet: number;
  /** The cells that its result fills. */
  places: [row: number, column: number][];
  state: 'waiting' | 'open' | 'computed' | 'kept';
  result: Scalar | Matrix;
  reason: string;
}

/** A cell to be computed first: the stack is too high to do it here. */
class First extends Error {
  readonly formula: Formula;
  constructor(formula: Formula) {
    super('a cell is computed first');
    this.formula = formula;
  }
}

/** A cell that is being computed was asked for. */
class Circle extends Error {
  readonly at: Formula;
  constructor(at: Formula) {
    super(CIRCULAR);
    this.at = at;
  }
}

/**
 * Computes the formulas of a workbook that `wanted` names, and those that they ask for: all others are seen by their
 * stored values, and so are those that cannot be computed. Never throws for a formula.
 */
export async function computeFormulas(
  workbook: FormulaWorkbook,
  wanted: (cell: FormulaCell, stored: Scalar | undefined) => boolean,
  budget: WorkBudget,
): Promise<SheetResults[]> {
  // None rather than some: those that are left out would be empty cells to the others.
  const count = workbook.sheets.reduce((sum, { formulas }) => sum + formulas.length, 0);
  if (count > MAX_FORMULAS) return workbook.sheets.map((sheet) => refused(sheet, wanted));
  await loadLibrary();
  const mostWork = Math.min(MAX_WORK, budget.countAffordable('formulaStep'));
  const computation = new Computation(workbook, wanted, mostWork);
  await computation.run();
  budget.spend('formulaStep', Math.min(computation.work, mostWork));
  return computation.results();
}

function refused(
  { rows, formulas }: FormulaSheet,
  wanted: Parameters<typeof computeFormulas>[1],
): SheetResults {
  const left = formulas.filter((cell) => wanted(cell, rows.get(cell.row)?.[cell.column]));
  const reason = `the workbook has more than ${MAX_FORMULAS} formulas`;
  return { computed: new Map(), kept: left.map(({ row, column }) => ({ row, column, reason })) };
}

class Computation implements Sheets {
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

  constructor(workbook: FormulaWorkbook, wanted: Parameters<typeof computeFormulas>[1], mostWork: number) {
    this.#workbook = workbook;
    this.#mostWork = mostWork;
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
    let left = MAX_FILLED;
    this.#byCell = workbook.sheets.map(({ name, rows, formulas }, sheet) => {
      if (!this.#indexes.has(name.toLowerCase())) this.#indexes.set(name.toLowerCase(), sheet);
      const cells = new Map<number, Formula>();
      for (const cell of formulas) {
        if (!wanted(cell, rows.get(cell.row)?.[cell.column])) continue;
        const places = placesOf(cell, left);
        left -= places.length;
        const formula: Formula = { ...cell, sheet, places, state: 'waiting', result: null, reason: '' };
        this.#formulas.push(formula);
        for (const [row, column] of places) cells.set(row * COLUMNS + column, formula);
      }
      return cells;
    });
  }

  /** Steps that were done. */
  get work(): number {
    return this.#work;
  }

  async run(): Promise<void> {
    let next = TURN;
    for (const formula of this.#formulas) {
      this.#computeFrom(formula);
      if (this.#work < next) continue;
      next = this.#work + TURN;
      await scheduler.wait(0);
    }
  }

  results(): SheetResults[] {
    return this.#workbook.sheets.map((_, sheet) => {
      const results: SheetResults = { computed: new Map(), kept: [] };
      for (const formula of this.#formulas) {
        if (formula.sheet !== sheet) continue;
        const { row, column, reason, state } = formula;
        if (state !== 'computed') results.kept.push({ row, column, reason });
        else {
          for (const [y, x] of formula.places) {
            const cells = results.computed.get(y) ?? new Map<number, Scalar>();
            cells.set(x, resultAt(formula, y, x) ?? 0);
            results.computed.set(y, cells);
          }
        }
      }
      return results;
    });
  }

  /** Computes a cell and, before it, those that `First` asks for, on a stack of its own. */
  #computeFrom(formula: Formula): void {
    const stack = [formula];
    while (stack.length > 0) {
      const top = stack[stack.length - 1]!;
      this.#levels = 0;
      try {
        if (top.state === 'waiting') this.#compute(top);
        stack.pop();
      } catch (error) {
        const first = error instanceof First ? error.formula : top;
        const again = stack.indexOf(first);
        if (again < 0) stack.push(first);
        else for (const one of stack.splice(again)) keep(one, CIRCULAR);
      }
    }
  }

  /** Throws First, with the cell waiting as before. */
  #compute(formula: Formula): void {
    if (this.#work > this.#mostWork) {
      keep(formula, TOO_MUCH);
      return;
    }
    formula.state = 'open';
    const [levels, names] = [this.#levels, this.#names];
    try {
      formula.result = this.#resultOf(formula);
      formula.state = 'computed';
    } catch (error) {
      if (error instanceof First) {
        formula.state = 'waiting';
        throw error;
      }
      if (error instanceof Circle) {
        keep(formula, CIRCULAR);
        if (error.at !== formula) throw error;
      } else keep(formula, error instanceof Uncomputable ? error.message : 'its functions refuse it');
    } finally {
      this.#levels = levels;
      this.#names = names;
    }
  }

  #resultOf(formula: Formula): Scalar | Matrix {
    const { sheet, row, column, origin, fills } = formula;
    const place = {
      ...{ sheet, row, column, array: fills !== undefined },
      ...{ down: row - (origin?.row ?? row), across: column - (origin?.column ?? column) },
    };
    const value = evaluate(this.#tree(formula.formula), this, place);
    if (!fills) return single(value, this, place);
    return value instanceof Area ? this.matrix(value) : value;
  }

  #tree(source: string): Expression {
    let tree = this.#trees.get(source);
    if (!tree) {
      try {
        tree = parseFormula(source, this.#workbook.dialect);
      } catch (error) {
        tree = error instanceof Uncomputable ? error : new Uncomputable('it cannot be read');
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
    if (formula?.state === 'open') throw new Circle(formula);
    if (formula?.state === 'waiting') {
      if (this.#levels > MAX_LEVELS) throw new First(formula);
      this.#compute(formula);
    }
    if (formula?.state === 'computed') {
      const result = resultAt(formula, row, column);
      if (typeof result === 'string') this.spend(countTextSteps(result));
      return result;
    }
    const stored = this.#workbook.sheets[sheet]?.rows.get(row)?.[column];
    if (formula && stored === undefined) throw new Uncomputable('it needs a cell that is not computed');
    // Whoever asks for a text goes through it, mostly in one native call: that is a step for each piece of it.
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

  named(name: string, sheet: number): Expression | undefined {
    const called = this.#workbook.names.filter((one) => one.name.toLowerCase() === name.toLowerCase());
    const meant = called.find((one) => one.sheet === sheet) ?? called.find((one) => one.sheet === undefined);
    return meant && this.#tree(meant.formula);
  }

  deeper<Result>(work: () => Result): Result {
    if (++this.#names > MAX_NAMES) throw new Uncomputable('its names stand for each other');
    try {
      return work();
    } finally {
      this.#names--;
    }
  }
}

function keep(formula: Formula, reason: string): void {
  formula.state = 'kept';
  formula.reason = reason;
}

function placesOf({ row, column, fills }: FormulaCell, left: number): [row: number, column: number][] {
  const [bottom, right] = [fills?.bottom ?? row, fills?.right ?? column];
  const width = right - column + 1;
  const count = (bottom - row + 1) * width;
  if (count <= 1 || count > left) return [[row, column]];
  return Array.from({ length: count }, (_, at) => [row + Math.trunc(at / width), column + (at % width)]);
}

/** A result's value in one of the cells that it fills; a result of one row or column fills all. */
function resultAt({ result, row, column }: Formula, y: number, x: number): Scalar {
  if (!Array.isArray(result)) return result;
  const line = result.length === 1 ? result[0] : result[y - row];
  return (line?.length === 1 ? line[0] : line?.[x - column]) ?? null;
}
