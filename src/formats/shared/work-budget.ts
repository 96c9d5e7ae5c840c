import { ParseError } from '#src/documents/errors.ts';

/**
 * Cost of each kind of work in microseconds of CPU time, rounded up. Only the order of magnitude matters,
 * because the costs serve to compare kinds of work without a clock.
 */
const COSTS = {
  /** Cost of opening a file or nested file, without reading its content. */
  file: 2_000,
  /** Cost of decompressing one byte, measured in the output. */
  inflatedByte: 0.035,
  /** Cost of decoding and parsing one byte of a text format. */
  markupByte: 0.06,
  /** Cost of decoding, splitting and rendering one character of text. */
  character: 0.06,
  /** Cost of one paragraph, list item, heading or table. */
  block: 20,
  cell: 10,
  /** Cost of one step of evaluating a spreadsheet formula. `formulas/compute.ts` counts the steps. */
  formulaStep: 0.25,
  /**
   * Cost of one tag of a TIFF directory, or one value of a tag. The cost is high because values stay in
   * memory.
   */
  tagValue: 2,
  /** Cost of scanning one PDF page when the file is opened. */
  page: 5_000,
  /** Cost of scanning one word of a PDF page when the file is opened. */
  word: 10,
} as const;

export type Work = keyof typeof COSTS;

const ACTIVITY_BY_WORK: Record<Work, string> = {
  file: 'opening the files inside it',
  inflatedByte: 'unpacking it',
  markupByte: 'reading its markup',
  character: 'reading its text',
  block: 'reading its paragraphs',
  cell: 'reading its cells',
  formulaStep: 'computing its formulas',
  tagValue: 'reading its directories',
  page: 'reading its pages',
  word: 'reading its words',
};

/** Maximum work for opening one file and all files nested inside it, in microseconds of CPU time. */
export const MAX_WORK = 10_000_000;

/**
 * Work that may still be done for one file. The file and all files nested inside it share one budget, so that
 * nesting and repetition cannot multiply the work. Functions that open or read something take the budget as
 * an argument and spend from it before they do the work.
 */
export class WorkBudget {
  #left: number;

  constructor(microseconds: number = MAX_WORK) {
    this.#left = microseconds;
  }

  /**
   * Reserves work that is about to be done. Throws ParseError DOCUMENT_TOO_LARGE if the budget does not
   * suffice. In that case nothing is spent, so smaller parts of the file can still be read.
   */
  spend(work: Work, count = 1): void {
    const cost = COSTS[work] * count;
    if (cost > this.#left) {
      throw new ParseError(
        'DOCUMENT_TOO_LARGE',
        `Reading the file takes too much work. The limit was reached while ${ACTIVITY_BY_WORK[work]}. Split the file into smaller files.`,
      );
    }
    this.#left -= cost;
  }

  /** Returns how many units of one kind of work, such as cells, the remaining budget covers. */
  countAffordable(work: Work): number {
    return this.#left / COSTS[work];
  }
}
