import type { Box } from '#src/documents/document.ts';
import type { Flow } from '#src/formats/shared/flow/flow.ts';
import { createCellCounter } from '#src/formats/shared/sheets/budget.ts';
import { writeSheetTables } from '#src/formats/shared/sheets/write-sheet.ts';
import type { WorkBudget } from '#src/formats/shared/work-budget.ts';
import { child, elements, parseXml, type XmlElement } from '#src/text-formats/xml.ts';
import { writeOdfChart } from './chart.ts';
import type { OdfPackage } from './package.ts';
import { readOdfSheet } from './sheet.ts';

/** Writes an embedded object. `readText` writes the body of an object that is a text or a drawing. */
export type WriteObject = (readText: (body: XmlElement) => void, box?: Box) => void;

interface ObjectContext {
  flow: Flow;
  opened: OdfPackage;
  budget: WorkBudget;
  /** True to leave out the content of all objects. */
  skip?: boolean;
}

/** Opens the charts, tables and texts that are embedded in an OpenDocument file. Each object is opened once. */
export class EmbeddedObjects {
  readonly #context: ObjectContext;
  readonly #opened = new Set<string>();

  constructor(context: ObjectContext) {
    this.#context = context;
  }

  /** Returns a function that writes the object of a frame, or `undefined` if there is no readable object. */
  open(frame: XmlElement): WriteObject | undefined {
    const href = child(frame, 'draw:object')?.attributes['xlink:href'];
    if (href === undefined || this.#context.skip) return undefined;
    const name = href.replace(/^\.\//, '').replace(/\/$/, '');
    if (this.#opened.has(name)) return undefined;
    const part = `${name}/content.xml`;
    const { archive } = this.#context.opened;
    const root = archive.has(part) ? parseXml(archive.text(part)) : undefined;
    if (!root) return undefined;
    this.#opened.add(name);
    const body = elements(child(root, 'office:body'))[0];
    return body && this.#openBody(body);
  }

  #openBody(body: XmlElement): WriteObject {
    const { flow, budget } = this.#context;
    if (body.name === 'office:chart') {
      return (_, box) => {
        const chart = child(body, 'chart:chart');
        if (chart) writeOdfChart(flow, chart, box);
      };
    }
    if (body.name !== 'office:spreadsheet') return (readText) => readText(body);
    return () => {
      const countCells = createCellCounter(budget);
      for (const table of elements(body, 'table:table')) {
        writeSheetTables(
          flow,
          readOdfSheet(table, () => false, countCells),
        );
      }
    };
  }
}
