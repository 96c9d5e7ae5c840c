import {
  Area,
  CellError,
  isError,
  type Scalar,
  Uncomputable,
  type Value,
} from '#src/formats/shared/formulas/values.ts';
import {
  booleanAt,
  type Call,
  collectValues,
  type FormulaFunction,
  fail,
  isMissing,
  numberAt,
  scalarAt,
  toMatrix,
  valueAt,
} from './call.ts';

function collectBooleans(call: Call): boolean[] {
  const found: boolean[] = [];
  call.args.forEach((_, at) => {
    const value = valueAt(call, at);
    if (!(value instanceof Area)) {
      for (const row of toMatrix(value, call)) for (const one of row) found.push(requireBoolean(one));
      return;
    }
    for (const cell of call.sheets.matrix(value).flat()) {
      if (isError(cell)) fail(cell.code);
      if (typeof cell === 'boolean' || typeof cell === 'number') found.push(Boolean(cell));
    }
  });
  return found.length > 0 ? found : fail('#VALUE!');
}

function requireBoolean(value: Scalar): boolean {
  if (isError(value)) return fail(value.code);
  if (typeof value === 'string') return /^true$/i.test(value) || (!/^false$/i.test(value) && fail('#VALUE!'));
  return Boolean(value);
}

function replaceError(call: Call, isCaught: (error: CellError) => boolean): Value {
  const value = scalarAt(call, 0);
  return isError(value) && isCaught(value) ? (scalarAt(call, 1) ?? 0) : (value ?? 0);
}

const evaluateBranch = (call: Call, at: number): Value =>
  at < call.args.length ? (valueAt(call, at) ?? 0) : fail('#N/A');

function rejectArrayFormula(call: Call): void {
  // A condition evaluates only one of its branches, but an array of conditions would need both. Array
  // formulas with conditions are therefore rejected.
  if (call.position.isArrayFormula)
    throw new Uncomputable('array formulas with conditions are not supported');
}

const createTypeTest =
  (test: (value: Scalar) => boolean): FormulaFunction =>
  (call) =>
    test(scalarAt(call, 0));

export const CONTROL: Record<string, FormulaFunction> = {
  IF(call) {
    rejectArrayFormula(call);
    if (booleanAt(call, 0)) return isMissing(call, 1) ? 0 : evaluateBranch(call, 1);
    if (call.args.length < 3) return false;
    return isMissing(call, 2) ? 0 : evaluateBranch(call, 2);
  },
  IFS(call) {
    rejectArrayFormula(call);
    for (let at = 0; at + 1 < call.args.length; at += 2)
      if (booleanAt(call, at)) return evaluateBranch(call, at + 1);
    return fail('#N/A');
  },
  SWITCH(call) {
    rejectArrayFormula(call);
    const wanted = scalarAt(call, 0);
    if (isError(wanted)) return wanted;
    let at = 1;
    for (; at + 1 < call.args.length; at += 2) {
      const value = scalarAt(call, at);
      const same = typeof value === 'string' && typeof wanted === 'string';
      if (same ? value.toLowerCase() === wanted.toLowerCase() : value === wanted)
        return evaluateBranch(call, at + 1);
    }
    return evaluateBranch(call, at);
  },
  CHOOSE(call) {
    rejectArrayFormula(call);
    const at = Math.trunc(numberAt(call, 0));
    return at >= 1 && at < call.args.length ? evaluateBranch(call, at) : fail('#VALUE!');
  },
  IFERROR: (call) => replaceError(call, () => true),
  IFNA: (call) => replaceError(call, ({ code }) => code === '#N/A'),
  HYPERLINK: (call) => scalarAt(call, call.args.length > 1 ? 1 : 0),
  AND: (call) => collectBooleans(call).every(Boolean),
  OR: (call) => collectBooleans(call).some(Boolean),
  XOR: (call) => collectBooleans(call).filter(Boolean).length % 2 === 1,
  NOT: (call) => !booleanAt(call, 0),
  TRUE: () => true,
  FALSE: () => false,
  NA: () => new CellError('#N/A'),
  ISBLANK: createTypeTest((value) => value === null),
  ISERROR: createTypeTest(isError),
  ISERR: createTypeTest((value) => isError(value) && value.code !== '#N/A'),
  ISNA: createTypeTest((value) => isError(value) && value.code === '#N/A'),
  ISNUMBER: createTypeTest((value) => typeof value === 'number'),
  ISTEXT: createTypeTest((value) => typeof value === 'string'),
  ISNONTEXT: createTypeTest((value) => typeof value !== 'string'),
  ISLOGICAL: createTypeTest((value) => typeof value === 'boolean'),
  ISEVEN: (call) => Math.trunc(numberAt(call, 0)) % 2 === 0,
  ISODD: (call) => Math.trunc(numberAt(call, 0)) % 2 !== 0,
  N(call) {
    const value = scalarAt(call, 0);
    if (isError(value)) return value;
    return typeof value === 'number' ? value : value === true ? 1 : 0;
  },
  T(call) {
    const value = scalarAt(call, 0);
    return typeof value === 'string' || isError(value) ? value : '';
  },
  COUNTA: (call) => collectValues(call).filter((value) => value !== null).length,
  COUNTBLANK(call) {
    const area = valueAt(call, 0);
    if (!(area instanceof Area)) return fail('#VALUE!');
    const filled = call.sheets
      .matrix(area)
      .flat()
      .filter((value) => value !== null && value !== '').length;
    return (area.bottom - area.top + 1) * (area.right - area.left + 1) - filled;
  },
};
