import { ParseError } from '#src/documents/errors.ts';

/**
 * Cost of one unit of each kind of work, in microseconds of CPU, rounded up. The costs only have to be of the right
 * size: they make work of different kinds comparable, and counting them needs no clock.
 */
const COSTS = {
  /** Opening a file, or a member of a file, apart from its content. */
  file: 2_000,
  /** Byte that is inflated. */
  inflatedByte: 0.035,
  /** Byte of a text format that is decoded and parsed. */
  markupByte: 0.06,
  /** Character of text that is decoded, split and rendered. */
  character: 0.06,
  /** Paragraph, list item, heading or table. */
  block: 20,
  /** Cell of a table or spreadsheet. */
  cell: 10,
  /** Step of a formula, see `formulas/compute.ts`. */
  formulaStep: 0.25,
  /** Tag of a TIFF directory, or value of one; values are kept in memory, which is what makes them dear. */
  tagValue: 2,
  /** Page of a PDF that is scanned before anybody asks for it. */
  page: 5_000,
  /** Word of such a page. */
  word: 10,
} as const;

export type Work = keyof typeof COSTS;

const DONE: Record<Work, string> = {
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

/** Work that one file may cause when it is opened, with all files inside it, in microseconds. */
export const MAX_WORK = 10_000_000;

/**
 * Work that may still be done for one file. A file and all files inside it, however deep, share one budget, so that
 * nesting and repetition do not multiply the work. Each function that opens or reads something takes the budget as an
 * argument and spends from it before it does the work.
 */
export class WorkBudget {
  #left: number;

  constructor(microseconds: number = MAX_WORK) {
    this.#left = microseconds;
  }

  /**
   * Counts work that is about to be done. Throws ParseError DOCUMENT_TOO_LARGE if the budget does not suffice; nothing
   * is spent then, so that smaller parts of the file can still be read.
   */
  spend(work: Work, count = 1): void {
    const cost = COSTS[work] * count;
    if (cost > this.#left) {
      throw new ParseError(
        'DOCUMENT_TOO_LARGE',
        `Reading the file takes more work than is done for one file; the limit was reached while ${DONE[work]}.`,
      );
    }
    this.#left -= cost;
  }

  /** Returns how much of one kind of work can still be paid for. */
  countAffordable(work: Work): number {
    return this.#left / COSTS[work];
  }
}
