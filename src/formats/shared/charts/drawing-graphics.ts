import type { Box } from '#src/documents/document.ts';
import type { OoxmlPackage, Relationship } from '#src/formats/shared/containers/ooxml-package.ts';
import type { Flow } from '#src/formats/shared/flow/flow.ts';
import { descendants, elements, getTextContent, type XmlElement } from '#src/text-formats/xml.ts';
import { writeChart } from './chart.ts';
import { readDrawingChart } from './drawing-chart.ts';

/**
 * Writes the charts and diagrams that drawings of Office Open XML files refer to. Each part is written once,
 * because many drawings may refer to one part.
 */
export class DrawingGraphics {
  readonly #flow: Flow;
  readonly #opened: OoxmlPackage;
  readonly #written = new Set<string>();

  constructor(flow: Flow, opened: OoxmlPackage) {
    this.#flow = flow;
    this.#opened = opened;
  }

  /** Writes the charts and diagrams below an element, such as a drawing of a Word document. */
  write(parent: XmlElement, relationships: ReadonlyMap<string, Relationship>, box?: Box): void {
    const { charts, diagrams } = findReferences(parent);
    for (const id of charts) {
      const part = this.#takePart(id, relationships);
      const chart = part === undefined ? undefined : readDrawingChart(this.#opened, part);
      if (chart) writeChart(this.#flow, chart, box);
    }
    for (const id of diagrams) {
      const part = this.#takePart(id, relationships);
      if (part !== undefined) this.#writeDiagram(part);
    }
  }

  #takePart(id: string, relationships: ReadonlyMap<string, Relationship>): string | undefined {
    const target = relationships.get(id);
    if (!target || target.external || this.#written.has(target.target)) return undefined;
    this.#written.add(target.target);
    return target.target;
  }

  /** Writes the texts of a diagram ("SmartArt") as a list. Each text belongs to one point of the diagram. */
  #writeDiagram(part: string): void {
    for (const point of descendants(this.#opened.xml(part), 'dgm:pt')) {
      const lines = descendants(point, 'a:p').map((line) =>
        descendants(line, 'a:t').map(getTextContent).join(''),
      );
      const text = lines.join('\n').trim();
      if (text !== '') this.#flow.listItem({ level: 0, ordered: false, runs: [{ text }] });
    }
  }
}

/**
 * Finds the relationship ids of charts and diagrams, in document order. The content of text boxes is left out,
 * because the text boxes are read on their own.
 */
function findReferences(parent: XmlElement): { charts: string[]; diagrams: string[] } {
  const charts: string[] = [];
  const diagrams: string[] = [];
  const visit = (element: XmlElement) => {
    const { name, attributes } = element;
    if (name === 'c:chart' || name === 'cx:chart') charts.push(attributes['r:id'] ?? '');
    else if (name === 'dgm:relIds') diagrams.push(attributes['r:dm'] ?? '');
    else if (name !== 'w:txbxContent') for (const inner of elements(element)) visit(inner);
  };
  visit(parent);
  return { charts, diagrams };
}
