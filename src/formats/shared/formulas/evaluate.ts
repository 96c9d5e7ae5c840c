import { broadcast } from './broadcast.ts';
import type { Expression, Operator } from './expression.ts';
import { FUNCTIONS } from './functions/registry.ts';
import { countTextSteps, type FormulaPosition, type FormulaSheets, toSingleValue } from './sheets.ts';
import {
  Area,
  CellError,
  compare,
  isError,
  type Scalar,
  toNumber,
  toText,
  Uncomputable,
  type Value,
} from './values.ts';

/**
 * Evaluates a formula expression for the cell at `position`. Throws Uncomputable if the expression cannot be
 * computed.
 */
export function evaluate(expression: Expression, sheets: FormulaSheets, position: FormulaPosition): Value {
  sheets.spend(1);
  const value = evaluateKind(expression, sheets, position);
  if (typeof value === 'string') sheets.spend(countTextSteps(value));
  return value;
}

function evaluateKind(expression: Expression, sheets: FormulaSheets, position: FormulaPosition): Value {
  switch (expression.kind) {
    case 'literal':
      return expression.value;
    case 'missing':
      return null;
    case 'array':
      return expression.rows.map((row) =>
        row.map((cell) => toSingleValue(evaluate(cell, sheets, position), sheets, position)),
      );
    case 'area':
      return resolveArea(expression, sheets, position);
    case 'name': {
      const meant = sheets.findName(expression.name, position.sheet);
      if (!meant) throw new Uncomputable(`the name ${expression.name} is not defined`);
      return sheets.resolveNested(() =>
        evaluate(meant, sheets, { ...position, rowShift: 0, columnShift: 0 }),
      );
    }
    case 'call': {
      const called = FUNCTIONS.get(expression.name);
      if (!called) throw new Uncomputable(`the function ${expression.name} is not supported`);
      return called({ args: expression.args, sheets, position, evaluate });
    }
    case 'sign':
      return mapOperands([expression.operand], sheets, position, ([value]) => {
        const number = toNumber(value!);
        return expression.negative && typeof number === 'number'
          ? -number
          : expression.negative
            ? number
            : value!;
      });
    case 'percent':
      return mapOperands([expression.operand], sheets, position, ([value]) => {
        const number = toNumber(value!);
        return isError(number) ? number : number / 100;
      });
    case 'binary':
      return mapOperands([expression.left, expression.right], sheets, position, ([left, right]) =>
        applyOperator(expression.operator, left!, right!),
      );
  }
}

function resolveArea(
  { sheet, from, to }: Extract<Expression, { kind: 'area' }>,
  sheets: FormulaSheets,
  { sheet: own, rowShift, columnShift }: FormulaPosition,
): Value {
  const at = sheet === undefined ? own : sheets.indexOf(sheet);
  if (at === undefined) return new CellError('#REF!');
  return new Area(
    at,
    from.rowFixed ? from.row : from.row + rowShift,
    from.columnFixed ? from.column : from.column + columnShift,
    to.rowFixed ? to.row : to.row + rowShift,
    to.columnFixed ? to.column : to.column + columnShift,
  );
}

function mapOperands(
  operands: readonly Expression[],
  sheets: FormulaSheets,
  position: FormulaPosition,
  operation: (values: Scalar[]) => Scalar,
): Value {
  const values = operands.map((operand) => {
    const value = evaluate(operand, sheets, position);
    if (!(value instanceof Area)) return value;
    return position.isArrayFormula && !value.isCell
      ? sheets.matrix(value)
      : toSingleValue(value, sheets, position);
  });
  return broadcast(values, sheets, operation);
}

const COMPARISONS: Partial<Record<Operator, (order: number) => boolean>> = {
  '=': (order) => order === 0,
  '<>': (order) => order !== 0,
  '<': (order) => order < 0,
  '>': (order) => order > 0,
  '<=': (order) => order <= 0,
  '>=': (order) => order >= 0,
};

function applyOperator(operator: Operator, left: Scalar, right: Scalar): Scalar {
  if (isError(left)) return left;
  if (isError(right)) return right;
  const comparison = COMPARISONS[operator];
  if (comparison) return comparison(compare(left, right));
  if (operator === '&') {
    const joined = `${toText(left)}${toText(right)}`;
    return joined.length > MAX_TEXT_LENGTH ? new CellError('#VALUE!') : joined;
  }
  const [a, b] = [toNumber(left), toNumber(right)];
  if (isError(a)) return a;
  if (isError(b)) return b;
  const result = calculate(operator, a, b);
  return Number.isFinite(result) ? result : new CellError(operator === '/' && b === 0 ? '#DIV/0!' : '#NUM!');
}

/** Maximum number of characters of the text in a cell. */
const MAX_TEXT_LENGTH = 32_767;

function calculate(operator: Operator, a: number, b: number): number {
  if (operator === '*') return a * b;
  if (operator === '/') return a / b;
  if (operator === '^') return a === 0 && b === 0 ? Number.NaN : a ** b;
  const sum = operator === '+' ? a + b : a - b;
  // The difference of two almost equal numbers is only a rounding error and becomes 0. For example, 0.1 + 0.2
  // - 0.3 is 0.
  return Math.abs(sum) < Math.max(Math.abs(a), Math.abs(b)) * 1e-15 ? 0 : sum;
}
