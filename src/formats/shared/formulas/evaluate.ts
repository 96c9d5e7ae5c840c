import { broadcast } from './broadcast.ts';
import type { Expression, Operator } from './expression.ts';
import { FUNCTIONS } from './functions/registry.ts';
import { countTextSteps, type Place, type Sheets, single } from './sheets.ts';
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

/** What a formula's tree comes to at its place. Throws Uncomputable. */
export function evaluate(expression: Expression, sheets: Sheets, place: Place): Value {
  sheets.spend(1);
  const value = evaluateKind(expression, sheets, place);
  if (typeof value === 'string') sheets.spend(countTextSteps(value));
  return value;
}

function evaluateKind(expression: Expression, sheets: Sheets, place: Place): Value {
  switch (expression.kind) {
    case 'literal':
      return expression.value;
    case 'missing':
      return null;
    case 'array':
      return expression.rows.map((row) =>
        row.map((cell) => single(evaluate(cell, sheets, place), sheets, place)),
      );
    case 'area':
      return areaAt(expression, sheets, place);
    case 'name': {
      const meant = sheets.named(expression.name, place.sheet);
      if (!meant) throw new Uncomputable(`the name ${expression.name} stands for nothing that is read`);
      return sheets.deeper(() => evaluate(meant, sheets, { ...place, down: 0, across: 0 }));
    }
    case 'call': {
      const called = FUNCTIONS.get(expression.name);
      if (!called) throw new Uncomputable(`the function ${expression.name} is not computed`);
      return called({ args: expression.args, sheets, place, evaluate });
    }
    case 'sign':
      return mapped([expression.operand], sheets, place, ([value]) => {
        const number = toNumber(value!);
        return expression.negative && typeof number === 'number'
          ? -number
          : expression.negative
            ? number
            : value!;
      });
    case 'percent':
      return mapped([expression.operand], sheets, place, ([value]) => {
        const number = toNumber(value!);
        return isError(number) ? number : number / 100;
      });
    case 'binary':
      return mapped([expression.left, expression.right], sheets, place, ([left, right]) =>
        operate(expression.operator, left!, right!),
      );
  }
}

function areaAt(
  { sheet, from, to }: Extract<Expression, { kind: 'area' }>,
  sheets: Sheets,
  { sheet: own, down, across }: Place,
): Value {
  const at = sheet === undefined ? own : sheets.indexOf(sheet);
  if (at === undefined) return new CellError('#REF!');
  return new Area(
    at,
    from.rowFixed ? from.row : from.row + down,
    from.columnFixed ? from.column : from.column + across,
    to.rowFixed ? to.row : to.row + down,
    to.columnFixed ? to.column : to.column + across,
  );
}

function mapped(
  operands: readonly Expression[],
  sheets: Sheets,
  place: Place,
  operation: (values: Scalar[]) => Scalar,
): Value {
  const values = operands.map((operand) => {
    const value = evaluate(operand, sheets, place);
    if (!(value instanceof Area)) return value;
    return place.array && !value.isCell ? sheets.matrix(value) : single(value, sheets, place);
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

function operate(operator: Operator, left: Scalar, right: Scalar): Scalar {
  if (isError(left)) return left;
  if (isError(right)) return right;
  const comparison = COMPARISONS[operator];
  if (comparison) return comparison(compare(left, right));
  if (operator === '&') {
    const joined = `${toText(left)}${toText(right)}`;
    return joined.length > MAX_TEXT ? new CellError('#VALUE!') : joined;
  }
  const [a, b] = [toNumber(left), toNumber(right)];
  if (isError(a)) return a;
  if (isError(b)) return b;
  const result = calculate(operator, a, b);
  return Number.isFinite(result) ? result : new CellError(operator === '/' && b === 0 ? '#DIV/0!' : '#NUM!');
}

/** A cell holds no longer text. */
const MAX_TEXT = 32_767;

function calculate(operator: Operator, a: number, b: number): number {
  if (operator === '*') return a * b;
  if (operator === '/') return a / b;
  if (operator === '^') return a === 0 && b === 0 ? Number.NaN : a ** b;
  const sum = operator === '+' ? a + b : a - b;
  // What is left of two almost equal numbers is the error of their last digits: 0.1 + 0.2 - 0.3 is 0.
  return Math.abs(sum) < Math.max(Math.abs(a), Math.abs(b)) * 1e-15 ? 0 : sum;
}
