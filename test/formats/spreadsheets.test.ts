import { utils, write } from '@e965/xlsx';
import { describe, expect, it } from 'vitest';
import { openDocument } from '#src/formats/registry.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { parserSuite, readAll } from '#test/suites/parser.suite.ts';
import { png } from './fixtures/pictures.ts';
import { type FixtureSheet, xlsx } from './fixtures/workbook.ts';

const STRINGS = [
  '<t>Item</t>',
  '<r><t>Rich</t></r><r><t> text</t></r>',
  '<t>東京</t><rPh sb="0" eb="2"><t>トウキョウ</t></rPh>',
];

const SHEETS: FixtureSheet[] = [
  {
    name: 'Prices',
    cells: {
      'A1 t="inlineStr"': '<is><t>Price list</t></is>',
      'A3 t="s"': '<v>0</v>',
      'B3 t="str"': '<v>Price</v>',
      'C3 t="str"': '<v>Since</v>',
      'D3 t="str"': '<v>Share</v>',
      'A4 t="s"': '<v>1</v>',
      'B4 s="3"': '<v>1234.5</v>',
      'C4 s="1"': '<v>45352</v>',
      'D4 s="2"': '<v>0.125</v>',
      'A5 t="s"': '<v>2</v>',
      B5: '<f>B4*2</f><v>2469.0000000000005</v>',
      'C5 s="4"': '<v>45352.75</v>',
      'D5 t="b"': '<v>1</v>',
      F8: '<v>1</v>',
      G8: '<v>2</v>',
      F9: '<v>3</v>',
      G9: '<f>F9+1</f>',
    },
    rest: '<hyperlinks><hyperlink ref="A4" r:id="l"/></hyperlinks><drawing r:id="d"/>',
  },
  { name: 'Secret', state: 'veryHidden', cells: { 'A1 t="str"': '<v>hidden value</v>' } },
  { name: 'Empty', cells: {} },
];

const PRICES = [
  '## Prices',
  'Price list',
  '| Item                               | Price     | Since            | Share |\n| ---------------------------------- | --------- | ---------------- | ----- |\n| [Rich text](https://example.org/x) | €1,234.50 | 2024-03-01       | 13%   |\n| 東京                                 | 2469      | 2024-03-01 18:00 | TRUE  |',
  '| 1   | 2   |\n| --- | --- |\n| 3   | 4   |',
  '![](image-1.png)',
].join('\n\n');

parserSuite({
  kind: 'xlsx',
  holds: {
    headings: 1,
    tables: 2,
    links: 1,
    figures: 1,
    labels: ['Prices'],
    metadata: ['title', 'author', 'language'],
  },
  bytes: async () => xlsx(SHEETS, STRINGS, await png()),
  markdown: [PRICES],
  hasSignature: true,
});

function sheetJs(bookType: 'biff8' | 'biff5' | 'xlsb'): Uint8Array {
  const book = utils.book_new();
  utils.book_append_sheet(
    book,
    utils.aoa_to_sheet([
      ['Name', 'Count'],
      ['Ada', 3],
      ['Müller', 4.5],
    ]),
    'People',
  );
  utils.book_append_sheet(book, utils.aoa_to_sheet([['x']]), 'Hidden');
  book.Workbook = { Sheets: [{ Hidden: 0 }, { Hidden: 1 }] };
  const bytes = new Uint8Array(write(book, { type: 'array', bookType }));
  // The writer supports no code pages, so the windows-1252 character is inserted here.
  const at = bookType === 'biff5' ? new TextDecoder('latin1').decode(bytes).indexOf('M_ller') : -1;
  if (at >= 0) bytes[at + 1] = 0xfc;
  return bytes;
}

const PEOPLE = '## People\n\n| Name   | Count |\n| ------ | ----- |\n| Ada    | 3     |\n| Müller | 4.5   |';

parserSuite({
  kind: 'xls',
  holds: { headings: 1, tables: 1, labels: ['People'] },
  bytes: () => sheetJs('biff8'),
  markdown: [PEOPLE],
  hasSignature: true,
});

const ODS =
  '<table:table table:name="Budget"><table:table-row><table:table-cell office:value-type="string"><text:p>Day</text:p></table:table-cell><table:table-cell><text:p><text:a xlink:href="https://example.org/">Sum</text:a></text:p></table:table-cell></table:table-row><table:table-row><table:table-cell office:value-type="date" office:date-value="2024-03-01"><text:p>01.03.24</text:p></table:table-cell><table:table-cell office:value-type="float" office:value="7"><text:p>7</text:p></table:table-cell><table:table-cell table:number-columns-repeated="16382"/></table:table-row><table:table-row table:number-rows-repeated="1048574"><table:table-cell table:number-columns-repeated="16384"/></table:table-row></table:table><table:table table:name="Off" table:style-name="off"><table:table-row><table:table-cell><text:p>secret</text:p></table:table-cell></table:table-row></table:table>';

parserSuite({
  kind: 'ods',
  holds: { headings: 1, tables: 1, links: 1, labels: ['Budget'], metadata: ['title', 'author'] },
  bytes: async () => (await import('./fixtures/odf.ts')).odf('spreadsheet', ODS),
  markdown: [
    '## Budget\n\n| Day        | [Sum](https://example.org/) |\n| ---------- | --------------------------- |\n| 2024-03-01 | 7                           |',
  ],
  hasSignature: true,
});

describe('spreadsheet parameters', () => {
  const read = async (parameters: ParseParameters, sheets = SHEETS) =>
    readAll(
      await openDocument({ bytes: xlsx(sheets, STRINGS), name: '', plan: resolveParsePlan(parameters) }),
    );

  it('labels pages by sheet and includes hidden sheets only on request', async () => {
    expect((await read({})).map((page) => page.label)).toEqual(['Prices']);
    const all = await read({ spreadsheet_include_hidden_sheets: true });
    expect(all.map((page) => page.label)).toEqual(['Prices', 'Secret']);
    expect(all[1]?.text).toContain('hidden value');
  });

  it('returns links', async () => {
    const [page] = await read({});
    expect(page?.links).toEqual([{ text: 'Rich text', url: 'https://example.org/x' }]);
  });

  const SIDE_BY_SIDE: FixtureSheet[] = [
    {
      name: 'Sheet1',
      cells: {
        A1: '<v>1</v>',
        B1: '<v>2</v>',
        A2: '<v>3</v>',
        B2: '<v>4</v>',
        D1: '<v>5</v>',
        E1: '<v>6</v>',
        D2: '<v>7</v>',
        E2: '<v>8</v>',
        A4: '<v>9</v>',
        B4: '<v>10</v>',
      },
    },
  ];

  it('splits regions on request', async () => {
    const tables = async (parameters: ParseParameters) =>
      (await read(parameters, SIDE_BY_SIDE))[0]?.blocks
        .filter((block) => block.type === 'table')
        .map((block) => block.text);
    expect(await tables({})).toEqual(['1\t2\t5\t6\n3\t4\t7\t8', '9\t10']);
    expect(await tables({ spreadsheet_extract_sub_tables: true })).toEqual([
      '1\t2\n3\t4',
      '5\t6\n7\t8',
      '9\t10',
    ]);
    expect(await tables({ spreadsheet_extract_sub_tables: false })).toEqual([
      '1\t2\t5\t6\n3\t4\t7\t8\n9\t10\t\t',
    ]);
  });

  it('guesses a name for a sheet with a default name', async () => {
    const sheets: FixtureSheet[] = [
      { name: 'Sheet1', cells: { 'A1 t="str"': '<v>Yearly plan</v>', A3: '<v>1</v>', B3: '<v>2</v>' } },
    ];
    expect((await read({ guess_xlsx_sheet_name: true }, sheets))[0]?.label).toBe('Yearly plan');
    expect((await read({}, sheets))[0]?.label).toBe('Sheet1');
  });

  it('writes compact or HTML tables on request', async () => {
    const compact = await read({ compact_markdown_table: true }, SIDE_BY_SIDE);
    expect(compact[0]?.markdown).toContain('|1|2|5|6|\n|---|---|---|---|\n|3|4|7|8|');
    const html = await read({ output_tables_as_HTML: true }, SIDE_BY_SIDE);
    expect(html[0]?.markdown).toContain('<tr><td>3</td><td>4</td><td>7</td><td>8</td></tr>');
  });

  it('reads Excel 5 and binary workbooks, and hidden sheets on request', async () => {
    for (const type of ['biff5', 'xlsb'] as const) {
      const document = await openDocument({ bytes: sheetJs(type), name: '', plan: resolveParsePlan({}) });
      expect([document.kind, (await document.readPage(0)).markdown]).toEqual(['xls', PEOPLE]);
    }
    const parameters = { spreadsheet_include_hidden_sheets: true };
    expect(
      (await openDocument({ bytes: sheetJs('biff8'), name: '', plan: resolveParsePlan(parameters) }))
        .pageCount,
    ).toBe(2);
  });

  it('rejects an empty workbook', async () => {
    await expect(read({}, [{ name: 'Empty', cells: {} }])).rejects.toMatchObject({
      reason: 'NO_DATA_FOUND_IN_FILE',
    });
  });
});
