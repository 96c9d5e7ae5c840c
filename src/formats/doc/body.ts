import type { BlockType } from '#src/documents/document.ts';
import type { Flow } from '#src/formats/shared/flow/flow.ts';
import { checkTableSize, dropEmpty } from '#src/formats/shared/flow/grid.ts';
import { isBlank, type Rendered, type Run } from '#src/formats/shared/flow/runs.ts';
import type { WordText } from './pieces.ts';
import type { Looks, ParagraphLook } from './properties.ts';
import { type RunContext, RunReader } from './runs.ts';

export interface BodyContext extends RunContext {
  flow: Flow;
  source: WordText;
  paragraphs: Looks<ParagraphLook>;
  headings: ReadonlyMap<number, number>;
  isNumbered(list: number, level: number): boolean;
}

/** Marks that end a paragraph, a cell and a page. */
const ENDS = new Set(['\r', '\u0007', '\f']);

/** Writes a part of the document's text as blocks. */
export class BodyReader {
  readonly #context: BodyContext;
  readonly #runs: RunReader;
  readonly #type: BlockType;
  #rows: Rendered[][] = [];
  #row: Rendered[] = [];
  #cell: Run[] = [];
  /** Number of paragraphs in the open table. Each cell has at least one. */
  #cells = 0;

  constructor(context: BodyContext, type: BlockType = 'paragraph') {
    this.#context = context;
    this.#runs = new RunReader(context);
    this.#type = type;
  }

  read(from: number, to: number): void {
    const { flow, paragraphs, source } = this.#context;
    for (const { start, end, mark } of paragraphsOf(source.text, from, to)) {
      const runs = this.#runs.read(start, end);
      const look = paragraphs.at(source.offsetOf(Math.min(end, to - 1)));
      if (look.inTable) {
        this.#inTable(runs, look, mark);
        continue;
      }
      this.#endTable();
      if (look.onNewPage) flow.pageBreak();
      this.#write(runs, look);
      if (mark === '\f') flow.pageBreak();
    }
    this.#endTable();
  }

  /** Returns all text of a range as one run list, for notes. */
  inline(from: number, to: number): Run[] {
    const runs: Run[] = [];
    for (const { start, end } of paragraphsOf(this.#context.source.text, from, to)) {
      const line = this.#runs.read(start, end);
      if (isBlank(line)) continue;
      if (runs.length > 0) runs.push({ text: '\n' });
      for (const run of line) runs.push(run);
    }
    return runs;
  }

  #write(runs: Run[], look: ParagraphLook): void {
    if (isBlank(runs)) return;
    const { flow, headings, isNumbered } = this.#context;
    const outline = look.outline !== undefined && look.outline < 9 ? look.outline + 1 : undefined;
    const heading = outline ?? headings.get(look.style);
    const { list = 0, level = 0 } = look;
    if (heading !== undefined && this.#type === 'paragraph') flow.heading(heading, runs);
    else if (list > 0 && this.#type === 'paragraph') {
      flow.listItem({ level, ordered: isNumbered(list, level), runs });
    } else flow.paragraph(runs, this.#type);
  }

  #inTable(runs: Run[], look: ParagraphLook, mark: string): void {
    this.#cells += 1;
    checkTableSize(this.#cells, 1);
    if (look.endsRow && !look.isInner) {
      this.#rows.push(this.#row);
      [this.#row, this.#cell] = [[], []];
      return;
    }
    if (this.#cell.length > 0 && !isBlank(runs)) this.#cell.push({ text: '\n' });
    for (const run of runs) this.#cell.push(run);
    // Cells of nested tables end like paragraphs.
    if (mark !== '\u0007') return;
    this.#row.push(this.#context.flow.render(this.#cell, false));
    this.#cell = [];
  }

  #endTable(): void {
    if (this.#row.length > 0) this.#rows.push(this.#row);
    const rows = dropEmpty(this.#rows);
    [this.#rows, this.#row, this.#cell, this.#cells] = [[], [], [], 0];
    // A table of one cell is a frame around ordinary text.
    const [only] = rows.length === 1 && rows[0]!.length === 1 ? rows[0]! : [];
    if (only) this.#context.flow.block({ type: this.#type, ...only });
    else if (rows.length > 0) this.#context.flow.table(rows);
  }
}

interface Paragraph {
  start: number;
  end: number;
  mark: string;
}

function* paragraphsOf(text: string, from: number, to: number): Generator<Paragraph> {
  let start = from;
  for (let end = from; end < to; end++) {
    const mark = text[end]!;
    if (!ENDS.has(mark)) continue;
    yield { start, end, mark };
    start = end + 1;
  }
  if (start < to) yield { start, end: to, mark: '' };
}
