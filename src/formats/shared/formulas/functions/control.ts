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
  everyValue,
  type FormulaFunction,
  fail,
  isMissing,
  numberAt,
  rowsOf,
  scalarAt,
  valueAt,
} from './call.ts';

/** Which of the arguments counts, and what a value is. */

function truths(call: Call): boolean[] {
  const found: boolean[] = [];
  call.args.forEach((_, at) => {
    const value = valueAt(call, at);
    if (!(value instanceof Area)) {
      for (const row of rowsOf(value, call)) for (const one of row) found.push(truth(one));
      return;
    }
    for (const cell of call.sheets.matrix(value).flat()) {
      if (isError(cell)) fail(cell.code);
      if (typeof cell === 'boolean' || typeof cell === 'number') found.push(Boolean(cell));
    }
  });
  return found.length > 0 ? found : fail('#VALUE!');
}

function truth(value: Scalar): boolean {
  if (isError(value)) return fail(value.code);
  if (typeof value === 'string') return /^true$/i.test(value) || (!/^false$/i.test(value) && fail('#VALUE!'));
  return Boolean(value);
}

function caught(call: Call, isCaught: (error: CellError) => boolean): Value {
  const value = scalarAt(call, 0);
  return isError(value) && isCaught(value) ? (scalarAt(call, 1) ?? 0) : (value ?? 0);
}

const chosen = (call: Call, at: number): Value =>
  at < call.args.length ? (valueAt(call, at) ?? 0) : fail('#N/A');

function unlessArray(call: Call): void {
  // One condition chooses one branch; a column of conditions would need both.
  if (call.place.array) throw new Uncomputable('it is an array formula with conditions');
}

const told =
  (test: (value: Scalar) => boolean): FormulaFunction =>
  (call) =>
    test(scalarAt(call, 0));

export const CONTROL: Record<string, FormulaFunction> = {
  IF(call) {
    unlessArray(call);
    if (booleanAt(call, 0)) return isMissing(call, 1) ? 0 : chosen(call, 1);
    if (call.args.length < 3) return false;
    return isMissing(call, 2) ? 0 : chosen(call, 2);
  },
  IFS(call) {
    unlessArray(call);
    for (let at = 0; at + 1 < call.args.length; at += 2) if (booleanAt(call, at)) return chosen(call, at + 1);
    return fail('#N/A');
  },
  SWITCH(call) {
    unlessArray(call);
    const wanted = scalarAt(call, 0);
    if (isError(wanted)) return wanted;
    let at = 1;
    for (; at + 1 < call.args.length; at += 2) {
      const value = scalarAt(call, at);
      const same = typeof value === 'string' && typeof wanted === 'string';
      if (same ? value.toLowerCase() === wanted.toLowerCase() : value === wanted) return chosen(call, at + 1);
    }
    return chosen(call, at);
  },
  CHOOSE(call) {
    unlessArray(call);
    const at = Math.trunc(numberAt(call, 0));
    return at >= 1 && at < call.args.length ? chosen(call, at) : fail('#VALUE!');
  },
  IFERROR: (call) => caught(call, () => true),
  IFNA: (call) => caught(call, ({ code }) => code === '#N/A'),
  HYPERLINK: (call) => scalarAt(call, call.args.length > 1 ? 1 : 0),
  AND: (call) => truths(call).every(Boolean),
  OR: (call) => truths(call).some(Boolean),
  XOR: (call) => truths(call).filter(Boolean).length % 2 === 1,
  NOT: (call) => !booleanAt(call, 0),
  TRUE: () => true,
  FALSE: () => false,
  NA: () => new CellError('#N/A'),
  ISBLANK: told((value) => value === null),
  ISERROR: told(isError),
  ISERR: told((value) => isError(value) && value.code !== '#N/A'),
  ISNA: told((value) => isError(value) && value.code === '#N/A'),
  ISNUMBER: told((value) => typeof value === 'number'),
  ISTEXT: told((value) => typeof value === 'string'),
  ISNONTEXT: told((value) => typeof value !== 'string'),
  ISLOGICAL: told((value) => typeof value === 'boolean'),
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
  COUNTA: (call) => everyValue(call).filter((value) => value !== null).length,
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
