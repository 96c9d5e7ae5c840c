import type { BlockType } from '#src/documents/document.ts';
import type { Flow } from '#src/formats/shared/flow/flow.ts';
import { layOutGrid } from '#src/formats/shared/flow/grid.ts';
import { isBlank, type Rendered, type Run } from '#src/formats/shared/flow/runs.ts';

export interface RtfParagraph {
  inTable: boolean;
  heading: number | undefined;
  /** Text of the bullet or number before a list item. Undefined if the paragraph is not a list item. */
  label: string | undefined;
  level: number;
}

const createParagraph = (): RtfParagraph => ({
  inTable: false,
  heading: undefined,
  label: undefined,
  level: 0,
});

/** Assembles runs into paragraphs, list items and table rows. */
export class RtfWriter {
  readonly #flow: Flow;
  paragraph = createParagraph();
  type: BlockType = 'paragraph';
  #runs: Run[] = [];
  #row: Rendered[] = [];
  #rows: Rendered[][] = [];

  constructor(flow: Flow) {
    this.#flow = flow;
  }

  add(run: Run): void {
    this.#runs.push(run);
  }

  resetParagraph(): void {
    this.paragraph = createParagraph();
  }

  endParagraph(): void {
    if (this.paragraph.inTable) {
      if (this.#runs.length > 0) this.#runs.push({ text: '\n' });
      return;
    }
    const runs = this.#take();
    const { heading, label, level } = this.paragraph;
    this.paragraph.label = undefined;
    this.#endTable();
    if (isBlank(runs)) return;
    if (this.type !== 'paragraph') this.#flow.paragraph(runs, this.type);
    else if (heading !== undefined)
      this.#flow.heading(heading, label ? [{ text: `${label} ` }, ...runs] : runs);
    else if (label !== undefined) {
      const number = /^\(?(\d+)[.)]?$/.exec(label)?.[1];
      const ordered = /^\(?[\da-z]+[.)]/i.test(label);
      this.#flow.listItem({ level, ordered, number: number ? Number(number) : undefined, runs });
    } else if (runs.every((run) => run.markdown !== undefined)) {
      for (const { text, markdown = '' } of runs) this.#flow.block({ type: 'figure', text, markdown });
    } else this.#flow.paragraph(runs);
  }

  endCell(): void {
    this.#row.push(this.#flow.render(this.#take(), false));
  }

  endRow(): void {
    if (this.#row.length > 0) this.#rows.push(this.#row);
    this.#row = [];
  }

  pageBreak(): void {
    this.endParagraph();
    this.#endTable();
    this.#flow.pageBreak();
  }

  finish(): void {
    this.paragraph.inTable = false;
    if (this.#row.length > 0) this.endRow();
    this.endParagraph();
    this.#endTable();
  }

  #endTable(): void {
    if (this.#rows.length > 0) this.#flow.table(layOutGrid(this.#rows));
    this.#rows = [];
  }

  #take(): Run[] {
    const runs = this.#runs;
    this.#runs = [];
    return runs;
  }
}
