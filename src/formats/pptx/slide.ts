import type { Box } from '#src/documents/document.ts';
import type { DrawingGraphics } from '#src/formats/shared/charts/drawing-graphics.ts';
import { pickAlternative } from '#src/formats/shared/containers/alternative-content.ts';
import type { OoxmlPackage, Relationship } from '#src/formats/shared/containers/ooxml-package.ts';
import type { Flow } from '#src/formats/shared/flow/flow.ts';
import { type GridCell, layOutGrid } from '#src/formats/shared/flow/grid.ts';
import { isBlank } from '#src/formats/shared/flow/runs.ts';
import type { ParsePlan } from '#src/parse/plan.ts';
import { child, descendants, elements, type XmlElement } from '#src/text-formats/xml.ts';
import { inlineBody, readTextBody, type SlideParagraph } from './text.ts';

/** English Metric Units per point. */
export const EMU_PER_POINT = 12_700;

export interface SlideContext {
  flow: Flow;
  opened: OoxmlPackage;
  relationships: Map<string, Relationship>;
  plan: ParsePlan;
  size: { width: number; height: number };
  graphics: DrawingGraphics;
}

const TITLES = new Set(['title', 'ctrTitle']);
const FOOTERS = new Set(['ftr', 'dt', 'sldNum']);
const BULLETED = new Set(['body', 'obj', '']);

export const findPlaceholder = (shape: XmlElement) =>
  elements(shape)
    .map((part) => child(part, 'p:nvPr', 'p:ph'))
    .find((found) => found !== undefined);

const isHidden = (shape: XmlElement) =>
  elements(shape).some((part) => ['1', 'true'].includes(child(part, 'p:cNvPr')?.attributes.hidden ?? ''));

function readBox(shape: XmlElement): Box | undefined {
  const transform = child(shape, 'p:spPr', 'a:xfrm') ?? child(shape, 'p:xfrm');
  const offset = child(transform, 'a:off')?.attributes;
  const extent = child(transform, 'a:ext')?.attributes;
  if (!offset || !extent) return undefined;
  const [x, y, w, h] = [offset.x, offset.y, extent.cx, extent.cy].map(
    (value) => Number(value) / EMU_PER_POINT,
  );
  return [x, y, w, h].every(Number.isFinite) ? { x: x!, y: y!, w: w!, h: h! } : undefined;
}

/** Reads the shapes of a slide. The title comes first, and the other shapes follow in their order. */
export class SlideReader {
  readonly #context: SlideContext;

  constructor(context: SlideContext) {
    this.#context = context;
  }

  read(tree: XmlElement): void {
    const shapes = elements(tree);
    const isTitle = (shape: XmlElement) => TITLES.has(findPlaceholder(shape)?.attributes.type ?? '');
    for (const shape of shapes.filter(isTitle)) this.#shape(shape, false);
    for (const shape of shapes.filter((one) => !isTitle(one))) this.#shape(shape, false);
  }

  /** Reads shapes without their places. */
  readShapes(shapes: readonly XmlElement[]): void {
    for (const shape of shapes) this.#shape(shape, true);
  }

  #shape(shape: XmlElement, inGroup: boolean): void {
    const { plan } = this.#context;
    if (plan.layout.removeHidden && isHidden(shape)) return;
    const box = inGroup ? undefined : readBox(shape);
    if (box && !plan.presentation.outsideSlide && this.#isOutside(box)) return;
    if (shape.name === 'p:sp' || shape.name === 'p:cxnSp') this.#text(shape, box);
    else if (shape.name === 'p:pic') this.#picture(shape, box);
    else if (shape.name === 'p:graphicFrame') this.#frame(shape, box);
    else if (shape.name === 'p:grpSp') for (const inner of elements(shape)) this.#shape(inner, true);
    else if (shape.name === 'mc:AlternateContent') {
      const branch = pickAlternative(shape);
      for (const inner of elements(branch)) this.#shape(inner, inGroup);
    }
  }

  #isOutside({ x, y, w, h }: Box): boolean {
    const { width, height } = this.#context.size;
    return x >= width || y >= height || x + w <= 0 || y + h <= 0;
  }

  #text(shape: XmlElement, box: Box | undefined): void {
    const { flow, relationships, plan } = this.#context;
    const placeholder = findPlaceholder(shape);
    const type = placeholder ? (placeholder.attributes.type ?? '') : undefined;
    const body = child(shape, 'p:txBody');
    if (type !== undefined && TITLES.has(type)) {
      flow.heading(1, inlineBody(body, relationships), box);
    } else if (type !== undefined && FOOTERS.has(type)) {
      if (!plan.layout.hideFooters) flow.paragraph(inlineBody(body, relationships), 'footer', box);
    } else if (type === 'hdr') {
      if (!plan.layout.hideHeaders) flow.paragraph(inlineBody(body, relationships), 'header', box);
    } else {
      const paragraphs = readTextBody(body, relationships);
      const bulleted = type !== undefined && BULLETED.has(type) && paragraphs.length > 1;
      for (const paragraph of paragraphs) this.#paragraph(paragraph, bulleted, box);
    }
    for (const fill of elements(child(shape, 'p:spPr'), 'a:blipFill')) this.#blip(fill, '', box);
  }

  #paragraph({ bullet, level, runs }: SlideParagraph, bulleted: boolean, box: Box | undefined): void {
    if (isBlank(runs)) return;
    const isItem = bullet === undefined ? bulleted : bullet !== 'none';
    if (isItem) this.#context.flow.listItem({ level, ordered: bullet === 'number', runs });
    else this.#context.flow.paragraph(runs, 'paragraph', box);
  }

  #picture(shape: XmlElement, box: Box | undefined): void {
    const described = child(shape, 'p:nvPicPr', 'p:cNvPr')?.attributes;
    const fill = child(shape, 'p:blipFill');
    if (fill) this.#blip(fill, described?.descr ?? described?.title ?? '', box);
  }

  #blip(fill: XmlElement, alt: string, box: Box | undefined): void {
    const id = child(fill, 'a:blip')?.attributes['r:embed'];
    const target = id === undefined ? undefined : this.#context.relationships.get(id);
    if (!target || target.external) return;
    const { flow, opened } = this.#context;
    flow.namedFigure(target.target, () => opened.archive.read(target.target), { alt, box });
  }

  #frame(frame: XmlElement, box: Box | undefined): void {
    const data = child(frame, 'a:graphic', 'a:graphicData');
    const table = child(data, 'a:tbl');
    // An embedded object shows its content in a picture.
    const [picture] = descendants(data, 'p:pic');
    if (picture) this.#picture(picture, box);
    if (table) this.#table(table, box);
    if (table || this.#context.plan.presentation.skipEmbeddedData) return;
    this.#context.graphics.write(frame, this.#context.relationships, box);
  }

  #table(table: XmlElement, box: Box | undefined): void {
    const { flow, relationships } = this.#context;
    const rows = elements(table, 'a:tr').map((row) =>
      elements(row, 'a:tc').map((cell): GridCell => {
        // Cells covered by a merged cell are stored as empty cells, so spans are not needed.
        return flow.render(inlineBody(child(cell, 'a:txBody'), relationships), false);
      }),
    );
    flow.table(layOutGrid(rows), box);
  }
}
