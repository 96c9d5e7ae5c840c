import { child, descendants, elements, getTextContent, type XmlElement } from '#src/text-formats/xml.ts';
import {
  buildDeletionOmission,
  buildHiddenPartOmission,
  listUnreadParts,
  withOmissions,
} from '../shared/containers/unread-parts.ts';
import { writeComment } from '../shared/flow/comments.ts';
import { createNoDataError, finishDocument } from '../shared/flow/finish.ts';
import { Flow } from '../shared/flow/flow.ts';
import type { OpenDocument } from '../shared/open-document.ts';
import type { Parser } from '../shared/parser.ts';
import { createCellCounter } from '../shared/sheets/budget.ts';
import type { CellLinks } from '../shared/sheets/cell-links.ts';
import type { CellRuns } from '../shared/sheets/cell-runs.ts';
import {
  type FormulaSheetInput,
  fillFormulas,
  shouldComputeFormulas,
} from '../shared/sheets/fill-formulas.ts';
import { writeSheet } from '../shared/sheets/write-sheet.ts';
import type { WorkBudget } from '../shared/work-budget.ts';
import { readAnnotation, readSheetAnnotations } from './comments.ts';
import { EmbeddedObjects } from './objects.ts';
import { type OdfPackage, openOdf } from './package.ts';
import { readOdfSheet } from './sheet.ts';
import { OdfTextReader, odfPageSize, readBox } from './text.ts';

function finishPackage(flow: Flow, { archive, metadata, unlocked }: OdfPackage): OpenDocument {
  return { ...finishDocument(flow, withOmissions(metadata, listUnreadParts(archive))), unlocked };
}

/** Parses OpenDocument text documents. Pages follow the page breaks that paragraph styles define. */
export const odtParser: Parser = {
  async open(input) {
    const { plan, budget } = input;
    const opened = openOdf(input);
    const flow = new Flow(plan, budget);
    const objects = new EmbeddedObjects({ flow, opened, budget });
    const context = { flow, opened, objects, removeHidden: plan.layout.removeHidden };
    const writeHeadersOrFooters = (type: 'header' | 'footer') => {
      const reader = new OdfTextReader(context, type);
      for (const element of descendants(opened.stylesRoot, `style:${type}`)) reader.read(element);
    };
    flow.startPage(odfPageSize(opened.stylesRoot));
    if (!plan.layout.hideHeaders) writeHeadersOrFooters('header');
    const reader = new OdfTextReader(context);
    reader.read(opened.body);
    reader.endNotes();
    const deletions = descendants(child(opened.body, 'text:tracked-changes'), 'text:deletion').length;
    if (deletions > 0) flow.omit(buildDeletionOmission(deletions));
    if (!plan.layout.hideFooters) writeHeadersOrFooters('footer');
    return finishPackage(flow, opened);
  },
};

const hasUnstored = (table: XmlElement) =>
  descendants(table, 'table:table-cell').some(
    (cell) =>
      cell.attributes['table:formula'] !== undefined &&
      cell.attributes['office:value-type'] === undefined &&
      getTextContent(cell) === '',
  );

/** Returns the pictures, shapes and objects of a sheet, without those inside others. */
function collectDrawings(parent: XmlElement): XmlElement[] {
  return elements(parent).flatMap((element) => {
    if (element.name === 'office:annotation') return [];
    return element.name.startsWith('draw:') ? [element] : collectDrawings(element);
  });
}

/**
 * Returns the named ranges and named expressions of a spreadsheet. Each range is returned as a formula that
 * refers to it.
 */
function readDefinedNames(body: XmlElement | undefined): { name: string; formula: string }[] {
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

/**
 * Reads the values and formulas of all sheets. Hidden sheets are included, because formulas may refer to
 * them.
 */
function sheetsForFormulas(
  names: string[],
  tables: XmlElement[],
  isHiddenRow: (row: XmlElement) => boolean,
  budget: WorkBudget,
): FormulaSheetInput[] {
  const countCells = createCellCounter(budget);
  return tables.map((table, at) => {
    const sheet: FormulaSheetInput = { name: names[at]!, rows: new Map(), formulas: [] };
    readOdfSheet(table, isHiddenRow, countCells, { forFormulas: sheet });
    return sheet;
  });
}

/**
 * Parses OpenDocument spreadsheets. Each sheet with content becomes one page that shows the values as
 * displayed.
 */
export const odsParser: Parser = {
  async open(input) {
    const { plan, budget } = input;
    const opened = openOdf(input);
    const flow = new Flow(plan, budget);
    const removeHidden = plan.layout.removeHidden;
    const isHiddenRow = (row: XmlElement) => removeHidden && row.attributes['table:visibility'] !== undefined;
    const countCells = createCellCounter(budget);
    const tables = elements(opened.body, 'table:table');
    const getSheetName = ({ attributes }: XmlElement, at: number) =>
      attributes['table:name'] ?? `Sheet ${at + 1}`;
    const links = tables.map((): CellLinks => new Map());
    const rich = tables.map((): CellRuns => new Map());
    const read = tables.map((table, at) => {
      const isHidden = opened.style(table.attributes['table:style-name']).hidden;
      if (isHidden && !plan.spreadsheet.hiddenSheets) return undefined;
      const runs = { cells: rich[at]!, style: opened.style };
      return readOdfSheet(table, isHiddenRow, countCells, { links: links[at]!, rich: runs });
    });
    const formulas = shouldComputeFormulas(plan.spreadsheet, tables.some(hasUnstored))
      ? await fillFormulas(
          {
            ...{ dialect: 'odf', date1904: false, names: readDefinedNames(opened.body) },
            sheets: sheetsForFormulas(tables.map(getSheetName), tables, isHiddenRow, budget),
          },
          read,
          plan.spreadsheet,
          countCells,
          budget,
        )
      : [];
    const objects = new EmbeddedObjects({ flow, opened, budget });
    const reader = new OdfTextReader({ flow, opened, objects, removeHidden });
    let shown = 0;
    for (const [at, table] of tables.entries()) {
      const cells = read[at];
      const drawings = collectDrawings(table);
      const comments = readSheetAnnotations(table);
      if (!cells && opened.style(table.attributes['table:style-name']).hidden)
        flow.omit(
          buildHiddenPartOmission(`Sheet ${getSheetName(table, at)}`, 'spreadsheet_include_hidden_sheets'),
        );
      if (!cells || (cells.size === 0 && drawings.length === 0 && comments.length === 0)) continue;
      shown++;
      const name = getSheetName(table, at);
      const sheet = { name, cells, rich: rich[at], links: links[at], formulas: formulas[at] };
      writeSheet(flow, sheet, plan.spreadsheet);
      for (const drawing of drawings) reader.frame(drawing);
      for (const comment of comments) writeComment(flow, comment);
    }
    if (shown === 0) throw createNoDataError();
    return finishPackage(flow, opened);
  },
};

/**
 * Parses OpenDocument presentations. Each slide becomes one page, and its speaker notes follow its content.
 */
export const odpParser: Parser = {
  async open(input) {
    const { plan, budget } = input;
    const opened = openOdf(input);
    const flow = new Flow(plan, budget);
    const objects = new EmbeddedObjects({ flow, opened, budget, skip: plan.presentation.skipEmbeddedData });
    const context = { flow, opened, objects, removeHidden: plan.layout.removeHidden };
    const size = odfPageSize(opened.stylesRoot);
    for (const slide of elements(opened.body, 'draw:page')) {
      flow.startPage(size);
      const reader = new OdfTextReader(context);
      const frames = elements(slide);
      const isTitle = (frame: XmlElement) => frame.attributes['presentation:class'] === 'title';
      for (const frame of frames.filter(isTitle)) {
        for (const paragraph of descendants(frame, 'text:p'))
          flow.heading(1, reader.inline(paragraph), readBox(frame));
      }
      for (const frame of frames) {
        if (frame.name.startsWith('draw:') && !isTitle(frame)) reader.frame(frame);
      }
      reader.endNotes();
      for (const one of frames.filter(({ name }) => /^office(?:ooo)?:annotation$/.test(name))) {
        writeComment(flow, readAnnotation(one));
      }
      const notes = child(slide, 'presentation:notes');
      const texts = descendants(notes, 'draw:text-box').flatMap((box) => elements(box));
      if (texts.some((text) => reader.inline(text).some((run) => run.text.trim() !== ''))) {
        flow.heading(3, [{ text: 'Notes' }]);
        for (const box of descendants(notes, 'draw:text-box')) reader.read(box);
      }
    }
    return finishPackage(flow, opened);
  },
};
