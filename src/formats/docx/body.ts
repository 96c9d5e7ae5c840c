import type { BlockType } from '#src/documents/document.ts';
import type { DrawingGraphics } from '#src/formats/shared/charts/drawing-graphics.ts';
import { pickAlternative } from '#src/formats/shared/containers/alternative-content.ts';
import { isOn, type OoxmlPackage, type Relationship } from '#src/formats/shared/containers/ooxml-package.ts';
import type { Flow } from '#src/formats/shared/flow/flow.ts';
import { type GridCell, layOutGrid } from '#src/formats/shared/flow/grid.ts';
import { isBlank, type Run } from '#src/formats/shared/flow/runs.ts';
import { readEquationTable } from '#src/formats/shared/math/equation-tables.ts';
import { child, elements, type XmlElement } from '#src/text-formats/xml.ts';
import type { Comment, Comments } from './comments.ts';
import { InlineReader, PAGE_BREAK } from './inline.ts';
import type { Notes } from './notes.ts';
import type { Numbering } from './numbering.ts';
import type { ParagraphStyle } from './styles.ts';

export interface BodyContext {
  flow: Flow;
  opened: OoxmlPackage;
  styles: (id: string | undefined) => ParagraphStyle;
  numbering: Numbering;
  notes: Notes;
  comments: Comments;
  /** Writes a comment as a separate block. */
  writeComment(comment: Comment): void;
  graphics: DrawingGraphics;
  removeHidden: boolean;
}

const value = (element: XmlElement | undefined) => element?.attributes['w:val'];

/** Converts the content of one document part, such as the body, a header or the notes, to blocks. */
export class BodyReader {
  readonly #context: BodyContext;
  readonly #inline: InlineReader;
  readonly #type: BlockType;
  readonly #relationships: ReadonlyMap<string, Relationship>;
  /** Text boxes and drawings that are written after the paragraph or table that contains them. */
  #textBoxes: XmlElement[] = [];
  #drawings: XmlElement[] = [];
  /** Comments on list items, which are written after the list. */
  #heldComments: Comment[] = [];
  /** Runs of a paragraph whose end was deleted, so that the next paragraph continues them. */
  #joined: Run[] = [];
  #code: string[] = [];

  constructor(context: BodyContext, part: string, type: BlockType = 'paragraph') {
    this.#context = context;
    this.#type = type;
    const relationships = context.opened.relationships(part);
    this.#relationships = relationships;
    this.#inline = new InlineReader({
      relationships,
      removeHidden: context.removeHidden,
      styles: context.styles,
      image: (id, alt) => {
        const target = relationships.get(id);
        if (!target || target.external) return undefined;
        const { archive } = context.opened;
        return context.flow.namedImage(target.target, () => archive.read(target.target), { alt }).run;
      },
      textBox: (content) => this.#textBoxes.push(content),
      drawing: (node) => this.#drawings.push(node),
      comment: (id) => context.comments.refer(id),
      deletion: () => {
        context.comments.deletions++;
      },
      note: (kind, id) => context.notes.refer(kind, id),
    });
  }

  read(parent: XmlElement): void {
    this.#blocks(parent);
    this.#endCode();
    if (!isBlank(this.#joined)) this.#context.flow.paragraph(this.#joined, this.#type);
    this.#endDrawings();
    this.#endComments();
  }

  /** Writes the text boxes, charts and diagrams that the last paragraph or table contained. */
  #endDrawings(): void {
    const [boxes, drawings] = [this.#textBoxes, this.#drawings];
    [this.#textBoxes, this.#drawings] = [[], []];
    for (const box of boxes) this.#blocks(box);
    for (const drawing of drawings) this.#context.graphics.write(drawing, this.#relationships);
  }

  #endComments(): void {
    this.#endHeldComments();
    for (const comment of this.#context.comments.take()) this.#context.writeComment(comment);
  }

  /** Returns all paragraphs of an element as one list of runs. Used for notes and table cells. */
  inlineText(parent: XmlElement): Run[] {
    return this.#collectParagraphs(parent).flatMap((paragraph, index) => [
      ...(index > 0 ? [{ text: '\n' }] : []),
      ...this.#inline.read(paragraph),
    ]);
  }

  #blocks(parent: XmlElement): void {
    for (const element of elements(parent)) {
      if (element.name === 'w:p') this.#paragraph(element);
      else if (element.name === 'w:tbl') this.#table(element);
      else if (
        ['w:sdt', 'w:sdtContent', 'w:ins', 'w:moveTo', 'w:customXml', 'w:smartTag'].includes(element.name)
      ) {
        this.#blocks(element);
      } else if (element.name === 'mc:AlternateContent') {
        const branch = pickAlternative(element);
        if (branch) this.#blocks(branch);
      } else if (element.name === 'm:oMathPara') {
        this.#context.flow.paragraph(this.#inline.read({ ...element, name: 'w:p', children: [element] }));
      }
    }
  }

  #paragraph(paragraph: XmlElement): void {
    const { flow, styles, removeHidden } = this.#context;
    const properties = child(paragraph, 'w:pPr');
    const style = styles(value(child(properties, 'w:pStyle')));
    if (isOn(child(properties, 'w:pageBreakBefore'))) flow.pageBreak();
    if (!(removeHidden && style.hidden)) {
      const runs = this.#joined;
      for (const run of this.#inline.read(paragraph)) runs.push(run);
      // The mark at the end of the paragraph is deleted, so the text goes on in the next paragraph.
      if (child(properties, 'w:rPr', 'w:del')) return;
      this.#joined = [];
      splitAtBreaks(runs).forEach((part, index) => {
        if (index > 0) this.#endPage();
        this.#write(part, style, properties);
      });
    }
    this.#endDrawings();
    const section = child(properties, 'w:sectPr');
    if (section && value(child(section, 'w:type')) !== 'continuous') this.#endPage();
  }

  #endPage(): void {
    this.#endCode();
    this.#context.flow.pageBreak();
  }

  #write(runs: Run[], style: ParagraphStyle, properties: XmlElement | undefined): void {
    const { flow, numbering } = this.#context;
    if (style.isCode) {
      this.#code.push(runs.map((run) => run.text).join(''));
      return;
    }
    this.#endCode();
    if (isBlank(runs)) return;
    const outline = Number(value(child(properties, 'w:outlineLvl')) ?? 9);
    const heading = outline < 6 ? outline + 1 : style.heading;
    const direct = child(properties, 'w:numPr');
    const numId = value(child(direct, 'w:numId')) ?? style.numId;
    const level = Number(value(child(direct, 'w:ilvl')) ?? style.level ?? 0);
    const numbered = numId === undefined ? undefined : numbering.next(numId, level);
    if (heading !== undefined || !numbered) this.#endHeldComments();
    if (heading !== undefined && this.#type === 'paragraph') {
      const label = numbered?.ordered ? `${numbered.label} ` : '';
      flow.heading(heading, [{ text: label }, ...runs]);
    } else if (numbered) {
      flow.listItem({ level, ordered: numbered.ordered, number: numbered.number, runs });
    } else if (runs.every((run) => run.markdown?.startsWith('![') || run.text.trim() === '')) {
      for (const run of runs) {
        if (run.markdown) flow.block({ type: 'figure', text: run.text, markdown: run.markdown });
      }
    } else if (style.isQuote) flow.quote(() => flow.paragraph(runs));
    else flow.paragraph(runs, this.#type);
    if (heading !== undefined || !numbered) this.#endComments();
    else for (const comment of this.#context.comments.take()) this.#heldComments.push(comment);
  }

  #endHeldComments(): void {
    const held = this.#heldComments;
    this.#heldComments = [];
    for (const comment of held) this.#context.writeComment(comment);
  }

  #endCode(): void {
    if (this.#code.length > 0) this.#context.flow.code(this.#code.join('\n'));
    this.#code = [];
  }

  #collectParagraphs(parent: XmlElement): XmlElement[] {
    return elements(parent).flatMap((element) => {
      if (element.name === 'w:p') return [element];
      if (element.name.startsWith('w:') && !element.name.endsWith('Pr'))
        return this.#collectParagraphs(element);
      return [];
    });
  }

  #table(table: XmlElement): void {
    this.#endCode();
    const rows = this.#rows(table);
    // A table with a single cell is usually a frame, so its content is read as ordinary text.
    const only = rows.length === 1 ? elements(rows[0], 'w:tc') : [];
    if (only.length === 1) {
      this.#blocks(only[0]!);
      return;
    }
    const cells = rows.map((row) => this.#cells(row));
    const equations = readEquationTable(cells.map((row) => row.map((cell) => cell.runs)));
    mergeVertically(cells);
    const grid = layOutGrid(cells.map((row) => row.filter((cell) => !cell.isContinued)));
    this.#endHeldComments();
    if (equations) for (const runs of equations) this.#context.flow.paragraph(runs);
    else this.#context.flow.table(grid);
    this.#endDrawings();
    this.#endComments();
  }

  #rows(table: XmlElement): XmlElement[] {
    return elements(table).flatMap((part) => {
      if (part.name === 'w:tr') return child(part, 'w:trPr', 'w:del') ? [] : [part];
      return ['w:sdt', 'w:sdtContent', 'w:ins', 'w:customXml'].includes(part.name) ? this.#rows(part) : [];
    });
  }

  #cells(row: XmlElement): TableCell[] {
    const before = Number(value(child(row, 'w:trPr', 'w:gridBefore')) ?? 0);
    const found: TableCell[] = [];
    let column = before;
    if (before > 0) found.push({ text: '', markdown: '', runs: [], column: 0, columnSpan: before });
    const collect = (parent: XmlElement) => {
      for (const part of elements(parent)) {
        if (part.name === 'w:sdt' || part.name === 'w:sdtContent' || part.name === 'w:ins') collect(part);
        if (part.name !== 'w:tc') continue;
        const properties = child(part, 'w:tcPr');
        if (child(properties, 'w:cellDel')) continue;
        const columnSpan = Number(value(child(properties, 'w:gridSpan')) ?? 1);
        const merge = child(properties, 'w:vMerge');
        const runs = this.inlineText(part);
        const rendered = this.#context.flow.render(runs, false);
        const isContinued = merge !== undefined && value(merge) !== 'restart';
        const startsMerge = merge !== undefined && !isContinued;
        found.push({ ...rendered, runs, column, columnSpan, isContinued, startsMerge });
        column += columnSpan;
      }
    };
    collect(row);
    return found;
  }
}

interface TableCell extends GridCell {
  runs: Run[];
  column: number;
  isContinued?: boolean;
  startsMerge?: boolean;
}

function splitAtBreaks(runs: readonly Run[]): Run[][] {
  const parts: Run[][] = [[]];
  for (const run of runs) {
    if (run.text === PAGE_BREAK) parts.push([]);
    else parts[parts.length - 1]!.push(run);
  }
  return parts;
}

function mergeVertically(rows: TableCell[][]): void {
  const open = new Map<number, TableCell>();
  for (const row of rows) {
    for (const cell of row) {
      const above = open.get(cell.column);
      if (cell.isContinued && above) above.rowSpan = (above.rowSpan ?? 1) + 1;
      else if (cell.isContinued) cell.isContinued = false;
      if (cell.startsMerge) open.set(cell.column, cell);
      else if (!cell.isContinued) open.delete(cell.column);
    }
  }
}
