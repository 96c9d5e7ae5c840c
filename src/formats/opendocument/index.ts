import { child, descendants, elements, textOf, type XmlElement } from '#src/text-formats/xml.ts';
import { hiddenPart, listUnreadParts, withOmissions } from '../shared/containers/unread-parts.ts';
import type { Parser } from '../shared/driver.ts';
import { finishDocument, noData } from '../shared/flow/finish.ts';
import { Flow } from '../shared/flow/flow.ts';
import type { OpenDocument } from '../shared/open-document.ts';
import { cellBudget } from '../shared/sheets/budget.ts';
import type { CellLinks } from '../shared/sheets/cell-links.ts';
import { fillFormulas, type ReadSheet, wantsFormulas } from '../shared/sheets/fill-formulas.ts';
import { writeSheet } from '../shared/sheets/write-sheet.ts';
import type { WorkBudget } from '../shared/work-budget.ts';
import { type OdfPackage, openOdf } from './package.ts';
import { readOdfSheet } from './sheet.ts';
import { boxOf, OdfTextReader, odfPageSize } from './text.ts';

function finished(flow: Flow, { archive, metadata, unlocked }: OdfPackage): OpenDocument {
  return { ...finishDocument(flow, withOmissions(metadata, listUnreadParts(archive))), unlocked };
}

/** Parses OpenDocument text. Pages follow the breaks of paragraph styles. */
export const odtParser: Parser = {
  async open(input) {
    const { plan, budget } = input;
    const opened = openOdf(input);
    const flow = new Flow(plan, budget);
    const context = { flow, opened, removeHidden: plan.layout.removeHidden };
    const edge = (type: 'header' | 'footer') => {
      const reader = new OdfTextReader(context, type);
      for (const element of descendants(opened.stylesRoot, `style:${type}`)) reader.read(element);
    };
    flow.startPage(odfPageSize(opened.stylesRoot));
    if (!plan.layout.hideHeaders) edge('header');
    const reader = new OdfTextReader(context);
    reader.read(opened.body);
    reader.endNotes();
    if (!plan.layout.hideFooters) edge('footer');
    return finished(flow, opened);
  },
};

const hasUnstored = (table: XmlElement) =>
  descendants(table, 'table:table-cell').some(
    (cell) =>
      cell.attributes['table:formula'] !== undefined &&
      cell.attributes['office:value-type'] === undefined &&
      textOf(cell) === '',
  );

/** Returns named ranges and named formulas, the latter in cell syntax. */
function namesOf(body: XmlElement | undefined): { name: string; formula: string }[] {
  const ranges = descendants(body, 'table:named-range').map(({ attributes }) => ({
    name: attributes['table:name'] ?? '',
    formula: `[${attributes['table:cell-range-address'] ?? ''}]`,
  }));
  const expressions = descendants(body, 'table:named-expression').map(({ attributes }) => ({
    name: attributes['table:name'] ?? '',
    formula: attributes['table:expression'] ?? '',
  }));
  return [...ranges, ...expressions];
}

/** Returns all sheets for formulas, which may refer to hidden ones. */
function sheetsForFormulas(
  names: string[],
  tables: XmlElement[],
  isHiddenRow: (row: XmlElement) => boolean,
  budget: WorkBudget,
): ReadSheet[] {
  const takeAll = cellBudget(budget);
  return tables.map((table, at) => {
    const sheet: ReadSheet = { name: names[at]!, rows: new Map(), formulas: [] };
    readOdfSheet(table, isHiddenRow, takeAll, { forFormulas: sheet });
    return sheet;
  });
}

/** Parses OpenDocument spreadsheets: one page per sheet with content, with displayed values. */
export const odsParser: Parser = {
  async open(input) {
    const { plan, budget } = input;
    const opened = openOdf(input);
    const flow = new Flow(plan, budget);
    const removeHidden = plan.layout.removeHidden;
    const isHiddenRow = (row: XmlElement) => removeHidden && row.attributes['table:visibility'] !== undefined;
    const takeCells = cellBudget(budget);
    const tables = elements(opened.body, 'table:table');
    const nameOf = ({ attributes }: XmlElement, at: number) => attributes['table:name'] ?? `Sheet ${at + 1}`;
    const links = tables.map((): CellLinks => new Map());
    const read = tables.map((table, at) => {
      const isHidden = opened.style(table.attributes['table:style-name']).hidden;
      if (isHidden && !plan.spreadsheet.hiddenSheets) return undefined;
      return readOdfSheet(table, isHiddenRow, takeCells, { links: links[at]! });
    });
    const formulas = wantsFormulas(plan.spreadsheet, tables.some(hasUnstored))
      ? await fillFormulas(
          {
            ...{ dialect: 'odf', date1904: false, names: namesOf(opened.body) },
            sheets: sheetsForFormulas(tables.map(nameOf), tables, isHiddenRow, budget),
          },
          read,
          plan.spreadsheet,
          takeCells,
          budget,
        )
      : [];
    let shown = 0;
    for (const [at, table] of tables.entries()) {
      const cells = read[at];
      const images = descendants(table, 'draw:image');
      if (!cells && opened.style(table.attributes['table:style-name']).hidden)
        flow.omit(hiddenPart(`Sheet ${nameOf(table, at)}`, 'spreadsheet_include_hidden_sheets'));
      if (!cells || (cells.size === 0 && images.length === 0)) continue;
      shown++;
      const sheet = { name: nameOf(table, at), cells, links: links[at], formulas: formulas[at] };
      writeSheet(flow, sheet, plan.spreadsheet);
      for (const image of images) {
        const name = (image.attributes['xlink:href'] ?? '').replace(/^\.\//, '');
        flow.namedFigure(name, () => opened.archive.read(name));
      }
    }
    if (shown === 0) throw noData();
    return finished(flow, opened);
  },
};

/** Parses OpenDocument presentations: one page per slide, with speaker notes after its content. */
export const odpParser: Parser = {
  async open(input) {
    const { plan, budget } = input;
    const opened = openOdf(input);
    const flow = new Flow(plan, budget);
    const context = { flow, opened, removeHidden: plan.layout.removeHidden };
    const size = odfPageSize(opened.stylesRoot);
    for (const slide of elements(opened.body, 'draw:page')) {
      flow.startPage(size);
      const reader = new OdfTextReader(context);
      const frames = elements(slide);
      const isTitle = (frame: XmlElement) => frame.attributes['presentation:class'] === 'title';
      for (const frame of frames.filter(isTitle)) {
        for (const paragraph of descendants(frame, 'text:p'))
          flow.heading(1, reader.inline(paragraph), boxOf(frame));
      }
      for (const frame of frames) {
        if (frame.name.startsWith('draw:') && !isTitle(frame)) reader.frame(frame);
      }
      reader.endNotes();
      const notes = child(slide, 'presentation:notes');
      const texts = descendants(notes, 'draw:text-box').flatMap((box) => elements(box));
      if (texts.some((text) => reader.inline(text).some((run) => run.text.trim() !== ''))) {
        flow.heading(3, [{ text: 'Notes' }]);
        for (const box of descendants(notes, 'draw:text-box')) reader.read(box);
      }
    }
    return finished(flow, opened);
  },
};
