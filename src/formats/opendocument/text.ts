import type { BlockType, Box } from '#src/documents/document.ts';
import { type ShownComment, writeComment } from '#src/formats/shared/flow/comments.ts';
import type { Flow } from '#src/formats/shared/flow/flow.ts';
import { type GridCell, layOutGrid } from '#src/formats/shared/flow/grid.ts';
import { collapseSpace, HARD_BREAK, isBlank, type Run } from '#src/formats/shared/flow/runs.ts';
import { child, descendants, elements, getTextContent, type XmlElement } from '#src/text-formats/xml.ts';
import { readAnnotation } from './comments.ts';
import { readFormulaFrame } from './formula.ts';
import type { EmbeddedObjects, WriteObject } from './objects.ts';
import type { OdfPackage } from './package.ts';
import { odfRows } from './rows.ts';

export interface OdfContext {
  flow: Flow;
  opened: OdfPackage;
  objects: EmbeddedObjects;
  removeHidden: boolean;
}

/** A drawing inside a paragraph, which is written after the paragraph. */
type Attached = { box: XmlElement } | { write: WriteObject; area: Box | undefined };

type Style = Omit<Run, 'text' | 'markdown'>;

const MAX_REPEAT = 64;
const SKIPPED = new Set([
  'office:annotation',
  'office:annotation-end',
  'text:tracked-changes',
  'text:sequence-decls',
  'text:table-of-content-source',
  'office:forms',
  'svg:title',
  'svg:desc',
]);

/** Shapes whose text is apart from the paragraph that they are anchored to. */
const SHAPES = new Set(
  'g custom-shape rect ellipse circle polygon polyline path regular-polygon line connector caption measure'
    .split(' ')
    .map((name) => `draw:${name}`),
);

/** Converts OpenDocument text content, such as paragraphs, lists, tables and frames, to blocks. */
export class OdfTextReader {
  readonly #context: OdfContext;
  readonly #type: BlockType;
  #notes: { mark: string; runs: Run[] }[] = [];
  #nextNote = 1;
  #attached: Attached[] = [];
  #comments: ShownComment[] = [];
  /** Number of lists around the current element. */
  #lists = 0;

  constructor(context: OdfContext, type: BlockType = 'paragraph') {
    this.#context = context;
    this.#type = type;
  }

  read(parent: XmlElement): void {
    for (const element of elements(parent)) this.#block(element);
  }

  /** Writes the texts of the notes that have been referred to so far. */
  endNotes(): void {
    const { flow } = this.#context;
    for (const { mark, runs } of this.#notes) {
      const { text, markdown } = flow.render(runs, false);
      flow.block({ type: 'paragraph', text, markdown: `[^${mark}]: ${markdown}` });
    }
    this.#notes = [];
  }

  #block(element: XmlElement): void {
    if (element.name === 'office:annotation') this.#comments.push(readAnnotation(element));
    if (SKIPPED.has(element.name)) return;
    if (element.name === 'text:p' || element.name === 'text:h') this.#paragraph(element);
    else if (element.name === 'text:list') this.#list(element, 0, element.attributes['text:style-name']);
    else if (element.name === 'table:table') this.#table(element);
    else if (element.name.startsWith('draw:')) this.frame(element);
    else if (!(element.name === 'text:section' && this.#isHidden(element))) this.read(element);
  }

  #isHidden(element: XmlElement): boolean {
    return this.#context.removeHidden && element.attributes['text:display'] === 'none';
  }

  #paragraph(element: XmlElement, item?: { level: number; ordered: boolean }): void {
    const { flow, opened, removeHidden } = this.#context;
    const style = opened.style(element.attributes['text:style-name']);
    if (style.breakBefore) flow.pageBreak();
    if (!(removeHidden && style.hidden)) {
      const runs = this.inline(element);
      const level = Number(element.attributes['text:outline-level'] ?? style.outline ?? 0);
      if (isBlank(runs)) {
        // A paragraph without text may still contain frames, which are read below.
      } else if (this.#type !== 'paragraph') flow.paragraph(runs, this.#type);
      else if (element.name === 'text:h') flow.heading(level || 1, runs);
      else if (style.title !== undefined) flow.heading(style.title, runs);
      else if (level > 0 && !item) flow.heading(level, runs);
      else if (item) flow.listItem({ ...item, runs });
      else if (runs.every((run) => run.markdown?.startsWith('![') || run.text.trim() === '')) {
        for (const { text, markdown } of runs) if (markdown) flow.block({ type: 'figure', text, markdown });
      } else flow.paragraph(runs);
    }
    this.#endAttached();
    if (this.#lists === 0) this.#endComments();
    if (style.breakAfter) flow.pageBreak();
  }

  #endAttached(): void {
    const attached = this.#attached;
    this.#attached = [];
    for (const one of attached) {
      if ('box' in one) this.read(one.box);
      else one.write((body) => this.read(body), one.area);
    }
  }

  #endComments(): void {
    const comments = this.#comments;
    this.#comments = [];
    for (const comment of comments) writeComment(this.#context.flow, comment);
  }

  #list(list: XmlElement, level: number, styleName: string | undefined): void {
    const ordered = this.#context.opened.isOrdered(styleName, level);
    this.#lists++;
    for (const item of elements(list)) {
      for (const part of elements(item)) {
        if (part.name === 'text:list')
          this.#list(part, level + 1, part.attributes['text:style-name'] ?? styleName);
        else if (part.name === 'text:p') this.#paragraph(part, { level, ordered });
        else this.#block(part);
      }
    }
    this.#lists--;
    if (this.#lists === 0) this.#endComments();
  }

  #table(table: XmlElement): void {
    const rows = odfRows(table).map((row) =>
      elements(row)
        .filter((cell) => cell.name === 'table:table-cell')
        .flatMap((cell): GridCell[] => {
          const { attributes } = cell;
          const runs = elements(cell).flatMap((part, index) => [
            ...(index > 0 ? [{ text: '\n' }] : []),
            ...this.#cellRuns(part),
          ]);
          const one: GridCell = {
            ...this.#context.flow.render(runs, false),
            columnSpan: Number(attributes['table:number-columns-spanned'] ?? 1),
            rowSpan: Number(attributes['table:number-rows-spanned'] ?? 1),
          };
          const repeat = Number(attributes['table:number-columns-repeated'] ?? 1);
          return Array.from({ length: Math.min(MAX_REPEAT, repeat || 1) }, () => one);
        }),
    );
    this.#context.flow.table(layOutGrid(rows));
    this.#endAttached();
    if (this.#lists === 0) this.#endComments();
  }

  #cellRuns(part: XmlElement): Run[] {
    if (part.name === 'text:p' || part.name === 'text:h') return this.inline(part);
    return elements(part).flatMap((inner, index) => [
      ...(index > 0 ? [{ text: '\n' }] : []),
      ...this.#cellRuns(inner),
    ]);
  }

  /** Returns the runs of a paragraph, with white space collapsed as OpenDocument specifies. */
  inline(paragraph: XmlElement): Run[] {
    const runs: Run[] = [];
    this.#inline(paragraph, {}, runs);
    return collapseSpace(runs).map((run) => ({ ...run, text: run.text.replace(/\ue001/g, ' ') }));
  }

  #inline(parent: XmlElement, style: Style, runs: Run[]): void {
    for (const node of parent.children) {
      if (typeof node === 'string') runs.push({ text: node, ...style });
      else if (node.name === 'office:annotation') this.#comments.push(readAnnotation(node));
      else if (!SKIPPED.has(node.name)) this.#inlineElement(node, style, runs);
    }
  }

  #inlineElement(node: XmlElement, style: Style, runs: Run[]): void {
    const { opened, removeHidden } = this.#context;
    if (node.name === 'text:line-break') runs.push({ text: HARD_BREAK });
    else if (node.name === 'text:tab') runs.push({ text: '\ue001', ...style });
    else if (node.name === 'text:s') {
      const count = Math.min(MAX_REPEAT, Number(node.attributes['text:c'] ?? 1) || 1);
      runs.push({ text: '\ue001'.repeat(count), ...style });
    } else if (node.name === 'text:span') {
      const { bold, italic, strike, hidden, script } = opened.style(node.attributes['text:style-name']);
      if (hidden && removeHidden) return;
      const own = {
        bold: bold ?? style.bold,
        italic: italic ?? style.italic,
        strike: strike ?? style.strike,
        script: script ?? style.script,
      };
      this.#inline(node, { ...style, ...own }, runs);
    } else if (node.name === 'text:a' || node.name === 'draw:a') {
      const href = node.attributes['xlink:href'];
      this.#inline(node, href && !href.startsWith('#') ? { ...style, href } : style, runs);
    } else if (node.name === 'text:note') {
      const mark = String(this.#nextNote++);
      const body = child(node, 'text:note-body');
      runs.push({ text: '', markdown: `[^${mark}]` });
      this.#notes.push({ mark, runs: body ? this.#cellRuns(body) : [] });
    } else if (node.name === 'draw:frame') {
      const formula = readFormulaFrame(node, opened);
      const write = formula ? undefined : this.#context.objects.open(node);
      const shown = formula ?? (write ? undefined : this.#frameImage(node));
      if (write) this.#attached.push({ write, area: readBox(node) });
      else if (shown) runs.push(shown);
      else for (const box of elements(node, 'draw:text-box')) this.#attached.push({ box });
    } else if (SHAPES.has(node.name)) this.#attached.push({ box: node });
    else if (node.name === 'text:ruby-text') runs.push({ text: `(${getTextContent(node)})`, ...style });
    else this.#inline(node, style, runs);
  }

  #frameImage(frame: XmlElement): Run | undefined {
    const href = child(frame, 'draw:image')?.attributes['xlink:href'];
    if (!href) return undefined;
    const { flow, opened } = this.#context;
    const name = href.replace(/^\.\//, '');
    const alt = getTextContent(child(frame, 'svg:title') ?? child(frame, 'svg:desc'));
    return flow.namedImage(name, () => opened.archive.read(name), { alt, box: readBox(frame) }).run;
  }

  /**
   * Reads a drawing outside a paragraph. Writes its picture as a figure, or its text if there is no picture.
   */
  frame(frame: XmlElement): void {
    const formula = readFormulaFrame(frame, this.#context.opened);
    if (formula) {
      this.#context.flow.paragraph([formula]);
      return;
    }
    const write = this.#context.objects.open(frame);
    if (write) {
      write((body) => this.read(body), readBox(frame));
      return;
    }
    const image = this.#frameImage(frame);
    if (image) this.#context.flow.block({ type: 'figure', text: image.text, markdown: image.markdown ?? '' });
    else this.read(frame);
  }
}

const POINTS: Record<string, number> = { cm: 72 / 2.54, mm: 72 / 25.4, in: 72, pt: 1, px: 0.75, pc: 12 };

/** Converts a length such as '2.5cm' to points. Returns `undefined` if the length is invalid. */
export function odfLength(length: string | undefined): number | undefined {
  const match = /^(-?[\d.]+)([a-z]{2})$/.exec(length ?? '');
  const unit = POINTS[match?.[2] ?? ''];
  return match && unit ? Math.round(Number(match[1]) * unit * 1000) / 1000 : undefined;
}

export function readBox(frame: XmlElement): Box | undefined {
  const names = ['svg:x', 'svg:y', 'svg:width', 'svg:height'];
  const [x, y, w, h] = names.map((name) => odfLength(frame.attributes[name]));
  if (x === undefined || y === undefined || w === undefined || h === undefined) return undefined;
  return { x, y, w, h };
}

export function odfPageSize(styles: XmlElement | undefined): {
  width?: number | undefined;
  height?: number | undefined;
} {
  const properties = descendants(styles, 'style:page-layout-properties')[0]?.attributes ?? {};
  return { width: odfLength(properties['fo:page-width']), height: odfLength(properties['fo:page-height']) };
}
