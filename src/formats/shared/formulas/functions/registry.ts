import { Uncomputable } from '#src/formats/shared/formulas/values.ts';
import { AGGREGATES } from './aggregates.ts';
import { type Call, ErrorResult, type FormulaFunction } from './call.ts';
import { CONDITIONAL } from './conditional.ts';
import { CONTROL } from './control.ts';
import { LIBRARY } from './library.ts';
import { LOOKUP } from './lookup.ts';
import { NUMBERS } from './numbers.ts';
import { TEXTS } from './texts.ts';

/**
 * Functions whose result changes with every recalculation. Their formulas are not computed, because the
 * stored result is what the author of the sheet saw.
 */
const VOLATILE = ['NOW', 'TODAY', 'RAND', 'RANDBETWEEN', 'RANDARRAY', 'CELL', 'INFO'];

const rejectVolatile =
  (name: string): FormulaFunction =>
  () => {
    throw new Uncomputable(`${name} returns a different result each time`);
  };

/** Wraps a spreadsheet function so that an ErrorResult thrown inside it becomes the function's result. */
const returnErrors =
  (called: FormulaFunction): FormulaFunction =>
  (call: Call) => {
    try {
      return called(call);
    } catch (error) {
      if (error instanceof ErrorResult) return error.error;
      throw error;
    }
  };

/** Supported spreadsheet functions by name in capital letters. */
export const FUNCTIONS: ReadonlyMap<string, FormulaFunction> = new Map([
  ...Object.entries({
    ...LIBRARY,
    ...NUMBERS,
    ...TEXTS,
    ...AGGREGATES,
    ...CONDITIONAL,
    ...LOOKUP,
    ...CONTROL,
  }).map(([name, called]) => [name, returnErrors(called)] as const),
  ...VOLATILE.map((name) => [name, rejectVolatile(name)] as const),
]);
