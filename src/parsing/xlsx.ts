import { ParseError } from './errors.ts';
import { finishDocument, noData } from './finish.ts';
import { Flow } from './flow/flow.ts';
import { type OoxmlPackage, openPackage, type Relationship } from './ooxml/package.ts';
import type { Parser } from './parser.ts';
import { cellBudget } from './sheets/budget.ts';
import { writeSheet } from './sheets/write-sheet.ts';
import { readSheet, type SheetContext, type SheetData } from './xlsx/sheet.ts';
import { readFormats, readSharedStrings, readWorkbook } from './xlsx/workbook.ts';
import { descendants } from './xml.ts';

function addPictures(flow: Flow, opened: OoxmlPackage, drawing: string | undefined): void {
  if (drawing === undefined) return;
  const relationships = opened.relationships(drawing);
  for (const blip of descendants(opened.xml(drawing), 'a:blip')) {
    const target = relationships.get(blip.attributes['r:embed'] ?? '');
    const bytes = target && !target.external ? opened.archive.read(target.target) : undefined;
    if (bytes) flow.figure(bytes);
  }
}

function addLinks(flow: Flow, data: SheetData, relationships: Map<string, Relationship>): void {
  for (const { row, column, relationshipId } of data.links) {
    const target = relationships.get(relationshipId ?? '');
    if (target?.external)
      flow.link({ text: data.rows.get(row)?.[column] ?? target.target, url: target.target });
  }
}

/** Workbooks: a page per sheet that holds something, formulas by their stored results. */
export const xlsxParser: Parser = {
  async open({ bytes, parameters }) {
    const opened = openPackage(bytes, 'xl/workbook.xml');
    const related = [...opened.relationships(opened.main).values()];
    const text = (type: string) => {
      const part = related.find((one) => one.type === type)?.target;
      return part === undefined ? undefined : opened.archive.text(part);
    };
    const { sheets, date1904 } = readWorkbook(opened);
    if (sheets.length === 0)
      throw new ParseError('FILE_IS_BROKEN', 'The file is damaged: the workbook has no sheets.');
    const context: SheetContext = {
      takeCells: cellBudget(),
      strings: readSharedStrings(text('sharedStrings')),
      formats: readFormats(text('styles')),
      date1904,
      removeHidden: parameters.remove_hidden_text === true,
    };
    const flow = new Flow(parameters);
    let shown = 0;
    for (const { name, part, hidden } of sheets) {
      if (hidden && !parameters.spreadsheet_include_hidden_sheets) continue;
      const source = part === undefined ? undefined : opened.archive.text(part);
      if (part === undefined || source === undefined) continue;
      const data = readSheet(source, context);
      const relationships = opened.relationships(part);
      const drawing = data.drawingId === undefined ? undefined : relationships.get(data.drawingId)?.target;
      if (data.rows.size === 0 && drawing === undefined) continue;
      shown++;
      writeSheet(flow, name, data.rows, parameters);
      addLinks(flow, data, relationships);
      addPictures(flow, opened, drawing);
    }
    if (shown === 0) throw noData();
    return finishDocument(flow, opened.metadata);
  },
};
