import type { BlockType } from '#src/documents/document.ts';
import { type ShownComment, writeComment } from '#src/formats/shared/flow/comments.ts';
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
  readonly #notes: Run[][] = [];
  /** Comments on the current paragraph or row, and comments that wait for the end of a list or table. */
  #comments: ShownComment[] = [];
  #held: ShownComment[] = [];
  readonly #interrupted: { runs: Run[]; paragraph: RtfParagraph }[] = [];

  constructor(flow: Flow) {
    this.#flow = flow;
  }

  add(run: Run): void {
    this.#runs.push(run);
  }

  /** Starts a footnote or endnote, whose runs are returned. The notes are written at the end. */
  startNote(): Run[] {
    const runs: Run[] = [];
    this.#notes.push(runs);
    this.add({ text: '', markdown: `[^${this.#notes.length}]` });
    return runs;
  }

  addComment(comment: ShownComment): void {
    this.#comments.push(comment);
  }

  /** Starts a text box. Its paragraphs are written before the paragraph that contains the text box. */
  startBox(): void {
    this.#interrupted.push({ runs: this.#take(), paragraph: this.paragraph });
    this.resetParagraph();
  }

  endBox(): void {
    this.paragraph.inTable = false;
    this.endParagraph();
    const { runs = [], paragraph = createParagraph() } = this.#interrupted.pop() ?? {};
    this.#runs = runs;
    this.paragraph = paragraph;
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
    const isItem = this.type === 'paragraph' && heading === undefined && label !== undefined;
    if (!isItem) this.#endHeld();
    if (this.type !== 'paragraph') this.#flow.paragraph(runs, this.type);
    else if (heading !== undefined)
      this.#flow.heading(heading, label ? [{ text: `${label} ` }, ...runs] : runs);
    else if (label !== undefined) {
      const number = /^\(?(\d+)[.)]?$/.exec(label)?.[1];
      const ordered = /^\(?[\da-z]+[.)]/i.test(label);
      this.#flow.listItem({ level, ordered, number: number ? Number(number) : undefined, runs });
    } else if (runs.every((run) => run.markdown?.startsWith('!['))) {
      for (const { text, markdown = '' } of runs) this.#flow.block({ type: 'figure', text, markdown });
    } else this.#flow.paragraph(runs);
    this.#hold();
    if (!isItem) this.#endHeld();
  }

  #hold(): void {
    for (const comment of this.#comments) this.#held.push(comment);
    this.#comments = [];
  }

  #endHeld(): void {
    const held = this.#held;
    this.#held = [];
    for (const comment of held) writeComment(this.#flow, comment);
  }

  endCell(): void {
    this.#row.push(this.#flow.render(this.#take(), false));
  }

  endRow(): void {
    if (this.#row.length > 0) this.#rows.push(this.#row);
    this.#row = [];
    this.#hold();
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
    this.#hold();
    this.#endHeld();
    for (const [index, runs] of this.#notes.entries()) {
      const { text, markdown } = this.#flow.render(runs, false);
      if (text !== '')
        this.#flow.block({ type: 'paragraph', text, markdown: `[^${index + 1}]: ${markdown}` });
    }
  }

  #endTable(): void {
    if (this.#rows.length === 0) return;
    this.#flow.table(layOutGrid(this.#rows));
    this.#rows = [];
    this.#endHeld();
  }

  #take(): Run[] {
    const runs = this.#runs;
    this.#runs = [];
    return runs;
  }
}
