import { ParseError } from '#src/parsing/errors.ts';
import type { WorkBudget } from '#src/parsing/work-budget.ts';

/**
 * Filled cells of all sheets of a file. 100,000 took 83 MiB beside the idle runtime (npm run
 * bench:parse-limits), of the 128 MB that a Worker has.
 */
export const MAX_CELLS = 100_000;

/** Counts filled cells. Throws ParseError DOCUMENT_TOO_LARGE beyond the limit. */
export type TakeCells = (count: number) => void;

/** Counts the cells of one workbook, whose number its memory limits, and spends them from the file's budget. */
export function cellBudget(budget: WorkBudget): TakeCells {
  let left = MAX_CELLS;
  return (count) => {
    left -= count;
    if (left < 0) {
      throw new ParseError('DOCUMENT_TOO_LARGE', `The file has more than ${MAX_CELLS} filled cells.`);
    }
    budget.spend('cell', count);
  };
}
