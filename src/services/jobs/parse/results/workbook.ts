import { strToU8, Zip, ZipDeflate } from 'fflate';
import type { StoredPage } from '#src/documents/page-store.ts';
import { toPageItems } from './pages.ts';

const HEAD = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n';
const MAIN = 'http://schemas.openxmlformats.org/spreadsheetml/2006/main';
const RELATIONS = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
const PACKAGE = 'http://schemas.openxmlformats.org/package/2006';
const SHEET_TYPE = 'application/vnd.openxmlformats-officedocument.spreadsheetml';

/** Maximum number of characters in a spreadsheet cell. */
const MAX_CELL_CHARACTERS = 32_767;

/**
 * Yields an XLSX workbook with one sheet per table, in document order. Only one table is in memory at a time.
 */
export async function* writeWorkbook(pages: AsyncIterable<StoredPage>): AsyncGenerator<Uint8Array> {
  const ready: Uint8Array[] = [];
  const zip = new Zip((error, chunk) => {
    if (error) throw error;
    ready.push(chunk);
  });
  const add = (name: string, text: string) => {
    const entry = new ZipDeflate(name);
    zip.add(entry);
    entry.push(strToU8(text), true);
    return ready.splice(0);
  };
  const names: string[] = [];
  for await (const page of pages) {
    const tables = toPageItems(page).flatMap(({ rows }) => (rows ? [rows] : []));
    for (const [at, rows] of tables.entries()) {
      names.push(`Page ${page.index + 1} Table ${at + 1}`);
      yield* add(`xl/worksheets/sheet${names.length}.xml`, renderSheet(rows));
    }
  }
  if (names.length === 0) {
    names.push('No tables');
    yield* add('xl/worksheets/sheet1.xml', renderSheet([]));
  }
  yield* add('xl/workbook.xml', renderWorkbook(names));
  yield* add(
    'xl/_rels/workbook.xml.rels',
    renderRelations(names.map((_, at) => ['worksheet', `worksheets/sheet${at + 1}.xml`])),
  );
  yield* add('_rels/.rels', renderRelations([['officeDocument', 'xl/workbook.xml']]));
  yield* add('[Content_Types].xml', renderContentTypes(names.length));
  zip.end();
  yield* ready;
}

const renderSheet = (rows: string[][]) =>
  `${HEAD}<worksheet xmlns="${MAIN}"><sheetData>${rows.map(renderRow).join('')}</sheetData></worksheet>`;

const renderRow = (cells: string[]) => `<row>${cells.map(renderCell).join('')}</row>`;

/** Writes unambiguous numbers as numbers and everything else as text. */
function renderCell(text: string): string {
  if (/^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?$/.test(text)) return `<c><v>${text}</v></c>`;
  const shown = escapeXml(text.slice(0, MAX_CELL_CHARACTERS));
  return `<c t="inlineStr"><is><t xml:space="preserve">${shown}</t></is></c>`;
}

const renderWorkbook = (names: string[]) =>
  `${HEAD}<workbook xmlns="${MAIN}" xmlns:r="${RELATIONS}"><sheets>${names
    .map((name, at) => `<sheet name="${name}" sheetId="${at + 1}" r:id="rId${at + 1}"/>`)
    .join('')}</sheets></workbook>`;

const renderRelations = (targets: string[][]) =>
  `${HEAD}<Relationships xmlns="${PACKAGE}/relationships">${targets
    .map(
      ([type, target], at) =>
        `<Relationship Id="rId${at + 1}" Type="${RELATIONS}/${type}" Target="${target}"/>`,
    )
    .join('')}</Relationships>`;

function renderContentTypes(sheets: number): string {
  const part = (name: string, type: string) =>
    `<Override PartName="${name}" ContentType="${SHEET_TYPE}.${type}+xml"/>`;
  const parts = Array.from({ length: sheets }, (_, at) =>
    part(`/xl/worksheets/sheet${at + 1}.xml`, 'worksheet'),
  );
  const rels = 'application/vnd.openxmlformats-package.relationships+xml';
  return `${HEAD}<Types xmlns="${PACKAGE}/content-types"><Default Extension="rels" ContentType="${rels}"/><Default Extension="xml" ContentType="application/xml"/>${part('/xl/workbook.xml', 'sheet.main')}${parts.join('')}</Types>`;
}

const XML: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escapeXml = (text: string) =>
  text
    .toWellFormed()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: XML cannot represent these characters.
    .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '')
    .replace(/[&<>"]/g, (character) => XML[character]!);
