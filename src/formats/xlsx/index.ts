import { ParseError } from '#src/documents/errors.ts';
import { DrawingGraphics } from '../shared/charts/drawing-graphics.ts';
import { openPackage, type Relationship } from '../shared/containers/ooxml-package.ts';
import {
  buildHiddenPartOmission,
  listUnreadParts,
  withOmissions,
} from '../shared/containers/unread-parts.ts';
import { writeComment } from '../shared/flow/comments.ts';
import { createNoDataError, finishDocument } from '../shared/flow/finish.ts';
import { Flow } from '../shared/flow/flow.ts';
import type { Parser } from '../shared/parser.ts';
import { createCellCounter } from '../shared/sheets/budget.ts';
import { addCellLink, type CellLinks } from '../shared/sheets/cell-links.ts';
import {
  type FormulaSheetInput,
  fillFormulas,
  shouldComputeFormulas,
} from '../shared/sheets/fill-formulas.ts';
import { writeSheet } from '../shared/sheets/write-sheet.ts';
import type { WorkBudget } from '../shared/work-budget.ts';
import { readCellComments, readPersons } from './comments.ts';
import { writeDrawing } from './drawing.ts';
import { readSheet, type SheetContext, type SheetData } from './sheet.ts';
import { readFormats, readSharedStrings, readWorkbook, type SheetEntry, type Workbook } from './workbook.ts';

function collectLinks(data: SheetData, relationships: Map<string, Relationship>): CellLinks {
  const links: CellLinks = new Map();
  for (const { row, column, relationshipId, url } of data.links) {
    const target = relationships.get(relationshipId ?? '');
    const address = target?.external ? target.target : url;
    if (address !== undefined) addCellLink(links, row, column, address);
  }
  return links;
}

/** Reads all sheets as input for computing formulas, because formulas may refer to hidden sheets. */
function sheetsForFormulas(
  sources: (string | undefined)[],
  { sheets }: Workbook,
  context: SheetContext,
  budget: WorkBudget,
): FormulaSheetInput[] {
  const all = { ...context, takeCells: createCellCounter(budget) };
  return sources.map((source, at) => {
    const sheet: FormulaSheetInput = { name: sheets[at]!.name, rows: new Map(), formulas: [] };
    if (source !== undefined) readSheet(source, all, sheet);
    return sheet;
  });
}

/**
 * Parses XLSX workbooks. Each sheet with content becomes one page. Formulas show their stored results, or
 * computed results if none are stored.
 */
export const xlsxParser: Parser = {
  async open({ bytes, plan, budget }) {
    const opened = openPackage(bytes, 'xl/workbook.xml', budget);
    const related = [...opened.relationships(opened.main).values()];
    const text = (type: string) => {
      const part = related.find((one) => one.type === type)?.target;
      return part === undefined ? undefined : opened.archive.text(part);
    };
    const workbook = readWorkbook(opened);
    const { sheets, date1904 } = workbook;
    if (sheets.length === 0)
      throw new ParseError('FILE_IS_BROKEN', 'The file is damaged: the workbook has no sheets.');
    const context: SheetContext = {
      countCells: createCellCounter(budget),
      ...readSharedStrings(text('sharedStrings')),
      formats: readFormats(text('styles')),
      date1904,
      removeHidden: plan.layout.removeHidden,
    };
    const readSource = ({ part }: SheetEntry) => (part === undefined ? undefined : opened.archive.text(part));
    const read = sheets.map((sheet) => {
      if (sheet.hidden && !plan.spreadsheet.hiddenSheets) return undefined;
      const source = readSource(sheet);
      return source === undefined ? undefined : readSheet(source, context);
    });
    const hasUnstored = read.some((data) => data?.hasUnstored);
    const formulas = shouldComputeFormulas(plan.spreadsheet, hasUnstored)
      ? await fillFormulas(
          {
            ...workbook,
            dialect: 'ooxml',
            sheets: sheetsForFormulas(sheets.map(readSource), workbook, context, budget),
          },
          read.map((data) => data?.rows),
          plan.spreadsheet,
          context.countCells,
          budget,
        )
      : [];
    const flow = new Flow(plan, budget);
    const graphics = new DrawingGraphics(flow, opened);
    const persons = readPersons(opened);
    let shown = 0;
    for (const [at, { name, part, hidden }] of sheets.entries()) {
      const data = read[at];
      if (hidden && data === undefined)
        flow.omit(buildHiddenPartOmission(`Sheet ${name}`, 'spreadsheet_include_hidden_sheets'));
      if (part === undefined || data === undefined) continue;
      const relationships = opened.relationships(part);
      const drawing = data.drawingId === undefined ? undefined : relationships.get(data.drawingId)?.target;
      const comments = readCellComments(opened, part, persons);
      if (data.rows.size === 0 && drawing === undefined && comments.length === 0) continue;
      shown++;
      const links = collectLinks(data, relationships);
      const sheet = { name, cells: data.rows, rich: data.rich, links, formulas: formulas[at] };
      writeSheet(flow, sheet, plan.spreadsheet);
      if (drawing !== undefined) writeDrawing({ flow, opened, graphics }, drawing);
      for (const comment of comments) writeComment(flow, comment);
    }
    if (shown === 0) throw createNoDataError();
    return finishDocument(flow, withOmissions(opened.metadata, listUnreadParts(opened.archive)));
  },
};
