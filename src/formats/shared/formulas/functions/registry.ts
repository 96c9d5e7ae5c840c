import { Uncomputable } from '#src/formats/shared/formulas/values.ts';
import { AGGREGATES } from './aggregates.ts';
import { type Call, ErrorResult, type FormulaFunction } from './call.ts';
import { CONDITIONAL } from './conditional.ts';
import { CONTROL } from './control.ts';
import { LIBRARY } from './library.ts';
import { LOOKUP } from './lookup.ts';
import { NUMBERS } from './numbers.ts';
import { TEXTS } from './texts.ts';

/** Results of these change with every look: what the sheet stored is what its author saw. */
const VOLATILE = ['NOW', 'TODAY', 'RAND', 'RANDBETWEEN', 'RANDARRAY', 'CELL', 'INFO'];

const never =
  (name: string): FormulaFunction =>
  () => {
    throw new Uncomputable(`${name} has another result each time`);
  };

/** Errors of arguments are the call's result; what the sheet cannot hold is one as well. */
const settled =
  (called: FormulaFunction): FormulaFunction =>
  (call: Call) => {
    try {
      return called(call);
    } catch (error) {
      if (error instanceof ErrorResult) return error.error;
      throw error;
    }
  };

/** The functions that are computed, by name in capitals. */
export const FUNCTIONS: ReadonlyMap<string, FormulaFunction> = new Map([
  ...Object.entries({
    ...LIBRARY,
    ...NUMBERS,
    ...TEXTS,
    ...AGGREGATES,
    ...CONDITIONAL,
    ...LOOKUP,
    ...CONTROL,
  }).map(([name, called]) => [name, settled(called)] as const),
  ...VOLATILE.map((name) => [name, never(name)] as const),
]);
