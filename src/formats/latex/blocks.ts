import type { Flow } from '../shared/flow/flow.ts';
import { type GridCell, layOutGrid } from '../shared/flow/grid.ts';
import { collapseSpace, HARD_BREAK, isBlank, type Run } from '../shared/flow/runs.ts';

interface OpenList {
  isOrdered: boolean;
  next: number;
  /** True from the mark of an item until its text was written. */
  isItemOpen: boolean;
}

const MAX_QUOTE_DEPTH = 5;

/** Removes line breaks at the start and at the end. */
function trimBreaks(runs: readonly Run[]): Run[] {
  const isEmpty = (run: Run) =>
    run.markdown === undefined && run.text.replaceAll(HARD_BREAK, '').trim() === '';
  const start = runs.findIndex((run) => !isEmpty(run));
  const end = runs.findLastIndex((run) => !isEmpty(run));
  return start < 0 ? [] : runs.slice(start, end + 1);
}

/** Writes the paragraphs, lists, quotes, tables and footnotes of a LaTeX document to the flow. */
export class BlockWriter {
  readonly #flow: Flow;
  readonly #lists: OpenList[] = [];
  /** Texts of the footnotes. A footnote may have several texts or none. */
  readonly #footnotes: Run[][][] = [];
  /** Number of pictures that the document only refers to. */
  pictures = 0;
  quoteDepth = 0;

  constructor(flow: Flow) {
    this.#flow = flow;
  }

  get flow(): Flow {
    return this.#flow;
  }

  get isInList(): boolean {
    return this.#lists.length > 0;
  }

  paragraph(runs: readonly Run[]): void {
    const text = collapseSpace(trimBreaks(runs));
    if (isBlank(text)) return;
    const list = this.#lists.at(-1);
    if (list?.isItemOpen) {
      list.isItemOpen = false;
      this.#flow.listItem({
        level: this.#lists.length - 1,
        ordered: list.isOrdered,
        ...(list.isOrdered && { number: list.next++ }),
        runs: text,
      });
    } else this.#write(() => this.#flow.paragraph(text));
  }

  heading(level: number, runs: readonly Run[]): void {
    const text = collapseSpace(trimBreaks(runs));
    this.#write(() => this.#flow.heading(level, text));
  }

  formula(latex: string): void {
    if (latex === '') return;
    const block = { type: 'paragraph', text: latex, markdown: `$$\n${latex}\n$$` } as const;
    this.#write(() => this.#flow.block({ ...block }));
  }

  code(text: string, language: string): void {
    this.#write(() => this.#flow.code(text, language));
  }

  table(rows: readonly (readonly { runs: readonly Run[]; columnSpan: number }[])[]): void {
    const cells: GridCell[][] = rows.map((row) =>
      row.map(({ runs, columnSpan }) => ({
        ...this.#flow.render(collapseSpace(trimBreaks(runs)), false),
        columnSpan,
      })),
    );
    this.#write(() => this.#flow.table(layOutGrid(cells)));
  }

  openList(isOrdered: boolean): void {
    this.#lists.push({ isOrdered, next: 1, isItemOpen: false });
  }

  startItem(): void {
    const list = this.#lists.at(-1);
    if (list) list.isItemOpen = true;
  }

  closeList(): void {
    this.#lists.pop();
    if (this.#lists.length === 0) this.#flow.endList();
  }

  /** Reserves the mark of the next footnote. */
  addFootnote(): number {
    return this.#footnotes.push([]);
  }

  fillFootnote(mark: number, runs: readonly Run[]): void {
    this.#footnotes[mark - 1]?.push(collapseSpace(trimBreaks(runs)));
  }

  get footnoteCount(): number {
    return this.#footnotes.length;
  }

  writeFootnotes(): void {
    this.#footnotes.forEach((texts, index) => {
      const runs = texts.flatMap((text, at) => (at === 0 ? text : [{ text: ' ' }, ...text]));
      const { text, markdown } = this.#flow.render(runs);
      if (text !== '' || markdown !== '') {
        this.#flow.block({ type: 'paragraph', text, markdown: `[^${index + 1}]: ${markdown}` });
      }
    });
  }

  #write(write: () => void): void {
    const depth = Math.min(this.quoteDepth, MAX_QUOTE_DEPTH);
    let nested = write;
    for (let level = 0; level < depth; level++) {
      const inner = nested;
      nested = () => this.#flow.quote(inner);
    }
    nested();
  }
}
