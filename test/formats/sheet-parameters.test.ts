import { utils, write } from '@e965/xlsx';
import { describe, expect, it } from 'vitest';
import { openDocument } from '#src/formats/registry.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { readAll } from '#test/suites/parser.suite.ts';
import { odf } from './fixtures/odf.ts';
import { xlsx } from './fixtures/workbook.ts';

/** Two tables side by side with a two-line header, and a hidden sheet, in each workbook format. */
const CELLS = [
  ['Port\nname', 'Depth', '', 'Berth', 'Crane'],
  ['Agger', '4', '', 'North', 'yes'],
];

const letter = (column: number) => String.fromCharCode(65 + column);

function asXlsx(): Uint8Array {
  const cells = CELLS.flatMap((row, y) =>
    row.flatMap((text, x) => (text === '' ? [] : [[`${letter(x)}${y + 1} t="str"`, `<v>${text}</v>`]])),
  );
  const hidden = { name: 'Off', state: 'hidden', cells: { 'A1 t="str"': '<v>secret</v>' } };
  return xlsx([{ name: 'On', cells: Object.fromEntries(cells) }, hidden], []);
}

function asXls(): Uint8Array {
  const book = utils.book_new();
  utils.book_append_sheet(
    book,
    utils.aoa_to_sheet(CELLS.map((row) => row.map((text) => text || null))),
    'On',
  );
  utils.book_append_sheet(book, utils.aoa_to_sheet([['secret']]), 'Off');
  book.Workbook = { Sheets: [{ Hidden: 0 }, { Hidden: 1 }] };
  return new Uint8Array(write(book, { type: 'array', bookType: 'biff8' }));
}

function asOds(): Uint8Array {
  const cell = (text: string) =>
    `<table:table-cell>${text
      .split('\n')
      .map((line) => (line === '' ? '' : `<text:p>${line}</text:p>`))
      .join('')}</table:table-cell>`;
  const rows = CELLS.map((row) => `<table:table-row>${row.map(cell).join('')}</table:table-row>`).join('');
  const hidden = `<table:table table:name="Off" table:style-name="off"><table:table-row>${cell('secret')}</table:table-row></table:table>`;
  return odf('spreadsheet', `<table:table table:name="On">${rows}</table:table>${hidden}`);
}

describe.each([
  ['xlsx', asXlsx()],
  ['xls', asXls()],
  ['ods', asOds()],
])('spreadsheet parameters: %s', (kind, bytes) => {
  const read = async (parameters: ParseParameters) =>
    readAll(
      await openDocument({
        bytes,
        name: `a.${kind}`,
        plan: resolveParsePlan({ ...parameters, compact_markdown_table: true }),
      }),
    );

  it('spreadsheet_include_hidden_sheets reads hidden sheets', async () => {
    const labels = async (parameters: ParseParameters) => (await read(parameters)).map(({ label }) => label);
    expect(await labels({})).toEqual(['On']);
    expect(await labels({ spreadsheet_include_hidden_sheets: true })).toEqual(['On', 'Off']);
  });

  it('spreadsheet_extract_sub_tables splits tables that stand side by side', async () => {
    const tables = async (parameters: ParseParameters) =>
      (await read(parameters))[0]!.blocks.filter(({ type }) => type === 'table').map(({ text }) => text);
    expect(await tables({})).toEqual(['Port name\tDepth\tBerth\tCrane\nAgger\t4\tNorth\tyes']);
    expect(await tables({ spreadsheet_extract_sub_tables: true })).toEqual([
      'Port name\tDepth\nAgger\t4',
      'Berth\tCrane\nNorth\tyes',
    ]);
  });

  it('markdown_table_multiline_header_separator separates lines of a header cell', async () => {
    const header = async (parameters: ParseParameters) =>
      (await read(parameters))[0]!.blocks.find(({ type }) => type === 'table')!.markdown.split('\n')[0];
    expect(await header({})).toBe('|Port<br>name|Depth|Berth|Crane|');
    expect(await header({ markdown_table_multiline_header_separator: ' / ' })).toBe(
      '|Port / name|Depth|Berth|Crane|',
    );
  });
});
