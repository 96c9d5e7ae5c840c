import { ParseError } from '#src/documents/errors.ts';
import type { WorkBudget } from '#src/formats/shared/work-budget.ts';

/**
 * Filled cells of all sheets of a file. 100,000 took 83 MiB beside the idle runtime (npm run
 * bench:parse-limits), of the 128 MB that a Worker has.
 */
export const MAX_CELLS = 100_000;
/** Characters in all cells of a file. Cells that share one text count it each, as the pages show it each time. */
const MAX_CHARACTERS = 16 * 1024 * 1024;

/** Counts filled cells and the characters in them. Throws ParseError DOCUMENT_TOO_LARGE beyond the limit. */
export type TakeCells = (count: number, characters?: number) => void;

/**
 * Counts the cells of one workbook, whose number its memory limits, and their characters, and spends the cells from the
 * file's budget.
 */
export function cellBudget(budget: WorkBudget): TakeCells {
  let cells = MAX_CELLS;
  let left = MAX_CHARACTERS;
  return (count, characters = 0) => {
    cells -= count;
    left -= characters;
    if (cells < 0) {
      throw new ParseError('DOCUMENT_TOO_LARGE', `The file has more than ${MAX_CELLS} filled cells.`);
    }
    if (left < 0) {
      throw new ParseError(
        'DOCUMENT_TOO_LARGE',
        `The cells of the file have more than ${MAX_CHARACTERS} characters.`,
      );
    }
    budget.spend('cell', count);
  };
}
