import type { Run } from '../shared/flow/runs.ts';

interface Cell {
  runs: readonly Run[];
  columnSpan: number;
}

/** Table of a LaTeX document whose cells are being read. */
export class OpenTable {
  readonly rows: Cell[][] = [];
  /** Number of columns that the current cell covers. */
  columnSpan = 1;
  #row: Cell[] = [];
  #repeatedFrom: number | undefined;

  endCell(runs: readonly Run[]): void {
    this.#row.push({ runs, columnSpan: this.columnSpan });
    this.columnSpan = 1;
  }

  endRow(runs: readonly Run[]): void {
    this.endCell(runs);
    this.rows.push(this.#row);
    this.#row = [];
  }

  /**
   * Handles the end of a header or footer in a table over several pages. Headers and footers of later pages
   * repeat the first ones and are removed.
   */
  endRepeatedPart(command: string): void {
    if (command !== 'endfirsthead' && this.#repeatedFrom !== undefined) this.rows.length = this.#repeatedFrom;
    this.#repeatedFrom = this.rows.length;
  }
}
