import { ParseError } from '#src/documents/errors.ts';
import type { WorkBudget } from '#src/formats/shared/work-budget.ts';

/**
 * Maximum number of filled cells in all sheets of a file. In a benchmark (npm run bench:parse-limits),
 * 100,000 cells took 83 MiB in addition to the idle runtime. A Worker has 128 MB.
 */
export const MAX_CELLS = 100_000;
/**
 * Maximum number of characters in all cells of a file. A text that many cells share counts for each cell,
 * because the pages repeat it.
 */
const MAX_CHARACTERS = 16 * 1024 * 1024;

/**
 * Function that counts filled cells and their characters. Throws ParseError DOCUMENT_TOO_LARGE if there are
 * too many.
 */
export type CountCells = (count: number, characters?: number) => void;

/**
 * Creates a counter that limits the cells and characters of one workbook, because they are held in memory.
 * The counter also charges the cells to the file's work budget.
 */
export function createCellCounter(budget: WorkBudget): CountCells {
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
        `The cells of the file have more than ${MAX_CHARACTERS} characters in total.`,
      );
    }
    budget.spend('cell', count);
  };
}
