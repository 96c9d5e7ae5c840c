import type { BlockType } from '#src/documents/document.ts';
import { writeComment } from '#src/formats/shared/flow/comments.ts';
import type { Flow } from '#src/formats/shared/flow/flow.ts';
import { checkTableSize, dropEmpty } from '#src/formats/shared/flow/grid.ts';
import { isBlank, type Rendered, type Run } from '#src/formats/shared/flow/runs.ts';
import type { WordComment } from './comments.ts';
import type { WordText } from './pieces.ts';
import type { FormatIndex, ParagraphFormat } from './properties.ts';
import { type RunContext, RunReader } from './runs.ts';

export interface BodyContext extends RunContext {
  flow: Flow;
  source: WordText;
  paragraphs: FormatIndex<ParagraphFormat>;
  headings: ReadonlyMap<number, number>;
  isNumbered(list: number, level: number): boolean;
  /** Returns the comments on the text up to a position that were not returned before. */
  takeComments(to: number): WordComment[];
}

/** Characters of a Word document that end a paragraph: the ends of paragraphs, table cells and pages. */
const ENDS = new Set(['\r', '\u0007', '\f']);

/** Converts ranges of a Word document's text to blocks. */
export class BodyReader {
  readonly #context: BodyContext;
  readonly #runs: RunReader;
  readonly #type: BlockType;
  #rows: Rendered[][] = [];
  #row: Rendered[] = [];
  #cell: Run[] = [];
  /** Number of paragraphs in the current table, which is at least its number of cells. */
  #cells = 0;
  /** Comments that are written after the paragraph, list or table that they belong to. */
  #comments: WordComment[] = [];

  constructor(context: BodyContext, type: BlockType = 'paragraph') {
    this.#context = context;
    this.#runs = new RunReader(context);
    this.#type = type;
  }

  read(from: number, to: number): void {
    const { flow, paragraphs, source } = this.#context;
    for (const { start, end, mark } of splitIntoParagraphs(source.text, from, to)) {
      const runs = this.#runs.read(start, end);
      const format = paragraphs.at(source.getOffset(Math.min(end, to - 1)));
      if (format.inTable) {
        this.#addTableParagraph(runs, format, mark);
        this.#addComments(end);
        continue;
      }
      this.#endTable();
      const isItem = this.#isItem(format);
      if (!isItem) this.#endComments();
      if (format.onNewPage) flow.pageBreak();
      this.#write(runs, format);
      this.#addComments(end);
      if (!isItem) this.#endComments();
      if (mark === '\f') flow.pageBreak();
    }
    this.#endTable();
    this.#endComments();
  }

  #isItem({ list = 0, style, outline = 9 }: ParagraphFormat): boolean {
    return list > 0 && outline >= 9 && this.#type === 'paragraph' && !this.#context.headings.has(style);
  }

  #addComments(end: number): void {
    for (const comment of this.#context.takeComments(end)) this.#comments.push(comment);
  }

  #endComments(): void {
    const comments = this.#comments;
    this.#comments = [];
    for (const comment of comments) this.writeComment(comment);
  }

  writeComment({ author, from, to }: WordComment): void {
    writeComment(this.#context.flow, { author, runs: this.inline(from, to) });
  }

  /** Returns the text of a range as a single list of runs. Used for footnotes and endnotes. */
  inline(from: number, to: number): Run[] {
    const runs: Run[] = [];
    for (const { start, end } of splitIntoParagraphs(this.#context.source.text, from, to)) {
      const line = this.#runs.read(start, end);
      if (isBlank(line)) continue;
      if (runs.length > 0) runs.push({ text: '\n' });
      for (const run of line) runs.push(run);
    }
    return runs;
  }

  #write(runs: Run[], format: ParagraphFormat): void {
    if (isBlank(runs)) return;
    const { flow, headings, isNumbered } = this.#context;
    const outline = format.outline !== undefined && format.outline < 9 ? format.outline + 1 : undefined;
    const heading = outline ?? headings.get(format.style);
    const { list = 0, level = 0 } = format;
    if (heading !== undefined && this.#type === 'paragraph') flow.heading(heading, runs);
    else if (list > 0 && this.#type === 'paragraph') {
      flow.listItem({ level, ordered: isNumbered(list, level), runs });
    } else flow.paragraph(runs, this.#type);
  }

  #addTableParagraph(runs: Run[], format: ParagraphFormat, mark: string): void {
    this.#cells += 1;
    checkTableSize(this.#cells, 1);
    if (format.endsRow && !format.isInner) {
      this.#rows.push(this.#row);
      [this.#row, this.#cell] = [[], []];
      return;
    }
    if (this.#cell.length > 0 && !isBlank(runs)) this.#cell.push({ text: '\n' });
    for (const run of runs) this.#cell.push(run);
    // Cells of nested tables end with the same character as paragraphs. Their text therefore becomes part of
    // the outer cell.
    if (mark !== '\u0007') return;
    this.#row.push(this.#context.flow.render(this.#cell, false));
    this.#cell = [];
  }

  #endTable(): void {
    if (this.#row.length > 0) this.#rows.push(this.#row);
    const rows = dropEmpty(this.#rows);
    [this.#rows, this.#row, this.#cell, this.#cells] = [[], [], [], 0];
    // A table with a single cell is usually a frame, so its content is written as ordinary text.
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

function* splitIntoParagraphs(text: string, from: number, to: number): Generator<Paragraph> {
  let start = from;
  for (let end = from; end < to; end++) {
    const mark = text[end]!;
    if (!ENDS.has(mark)) continue;
    yield { start, end, mark };
    start = end + 1;
  }
  if (start < to) yield { start, end: to, mark: '' };
}
