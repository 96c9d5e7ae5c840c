import { describe, expect, it } from 'vitest';
import type { Page } from '#src/documents/document.ts';
import { openDocument } from '#src/formats/registry.ts';
import type { ParseParameters } from '#src/parse/parameters/parameters.ts';
import { resolveParsePlan } from '#src/parse/plan.ts';
import { xls } from '#test/formats/fixtures/legacy-workbook.ts';
import { odf } from '#test/formats/fixtures/odf.ts';
import { u16 } from '#test/formats/fixtures/ole.ts';
import { type FixtureSheet, xlsx } from '#test/formats/fixtures/workbook.ts';
import { readAll } from '#test/suites/parser.suite.ts';

const FORCED: ParseParameters = { spreadsheet_force_formula_computation: true };

const readAllPages = async (bytes: Uint8Array, parameters: ParseParameters): Promise<Page[]> =>
  readAll(await openDocument({ bytes, name: '', plan: resolveParsePlan(parameters) }));

const tables = (pages: Page[]) =>
  pages.map(({ blocks }) => blocks.filter(({ type }) => type === 'table').map(({ text }) => text));

describe('xlsx formulas', () => {
  const SHEETS: FixtureSheet[] = [
    {
      name: 'Sums',
      cells: {
        A1: '<v>2</v>',
        B1: '<f>A1*10</f><v>20</v>',
        'C1 s="2"': '<f>Rates!A1</f><v>0.05</v>',
        A2: '<v>3</v>',
        B2: '<f>A2*10</f><v>999</v>',
        'C2 t="str"': '<f>IF(B2>100,"much","little")</f><v>much</v>',
        A3: '<f>SUM(A1:A2)</f>',
        B3: '<f>NOW()</f><v>45000</v>',
        'C3 t="e"': '<f>1/0</f><v>#DIV/0!</v>',
      },
    },
    { name: 'Rates', state: 'hidden', cells: { A1: '<v>0.25</v>' } },
  ];

  it('are computed on request, with a report per sheet', async () => {
    const bytes = xlsx(SHEETS, []);
    const pages = await readAllPages(bytes, FORCED);
    expect(tables(pages)).toEqual([['2\t20\t25%\n3\t30\tlittle\n5\t45000\t#DIV/0!']]);
    expect(pages[0]?.formulas).toEqual({
      computed: 6,
      stored: 1,
      different: [
        { cell: 'C1', stored: '5%', computed: '25%' },
        { cell: 'B2', stored: '999', computed: '30' },
        { cell: 'C2', stored: 'much', computed: 'little' },
      ],
      notComputed: [{ cell: 'B3', reason: 'NOW returns a different result each time' }],
    });
  });

  it('are computed by default only if no result is stored', async () => {
    const [page] = await readAllPages(xlsx(SHEETS, []), {});
    expect(tables([page!])).toEqual([['2\t20\t5%\n3\t999\tmuch\n5\t45000\t#DIV/0!']]);
    expect(page?.formulas).toEqual({ computed: 1, stored: 6, different: [], notComputed: [] });
  });

  it('are not computed if all results are stored', async () => {
    const [page] = await readAllPages(xlsx([{ name: 'S', cells: { A1: '<f>1+1</f><v>3</v>' } }], []), {});
    expect([page?.text, page?.formulas]).toEqual(['S\n\n3', undefined]);
  });

  it('use the 1904 date system of the workbook and skip functions that depend on it', async () => {
    const sheet: FixtureSheet = {
      name: 'S',
      cells: {
        'A1 s="1"': '<v>59</v>',
        'B1 s="1"': '<f>A1+1</f>',
        C1: '<f>YEAR(A1)</f><v>1904</v>',
        D1: '<f>TEXT(A1,"yyyy-mm-dd")</f>',
      },
    };
    const of = async (properties: string) => {
      const [page] = await readAllPages(xlsx([sheet], [], undefined, properties), FORCED);
      return [page?.blocks[1]?.text, page?.formulas?.notComputed];
    };
    const reason = 'date functions are not supported in workbooks that count days from 1904';
    expect(await of('<workbookPr date1904="1"/>')).toEqual([
      '1904-02-29\t1904-03-01\t1904\t1904-02-29',
      [{ cell: 'C1', reason }],
    ]);
    expect(await of('<workbookPr date1904="0"/>')).toEqual(['1900-02-28\t1900-02-29\t1900\t1900-02-28', []]);
  });

  it('can be shared by cells and fill several cells', async () => {
    const sheet: FixtureSheet = {
      name: 'S',
      cells: {
        A1: '<v>1</v>',
        B1: '<f t="shared" ref="B1:B3" si="0">A1*$A$3</f><v>0</v>',
        C1: '<f t="array" ref="C1:C3">A1:A3*2</f><v>0</v>',
        A2: '<v>2</v>',
        B2: '<f t="shared" si="0"/><v>0</v>',
        C2: '<v>0</v>',
        A3: '<v>3</v>',
        B3: '<f t="shared" si="0"/><v>0</v>',
        C3: '<v>0</v>',
      },
    };
    const pages = await readAllPages(xlsx([sheet], []), FORCED);
    expect(tables(pages)).toEqual([['1\t3\t2\n2\t6\t4\n3\t9\t6']]);
  });

  it('show booleans in capitals, skip hidden columns and report at most a hundred differences', async () => {
    const cells: FixtureSheet['cells'] = { AB1: '<f>2>1</f>' };
    for (let row = 2; row < 122; row++) cells[`A${row}`] = `<f>${row}+0</f><v>0</v>`;
    const [page] = await readAllPages(xlsx([{ name: 'S', cells }], []), FORCED);
    expect(page?.blocks[1]?.text).toContain('TRUE');
    expect(page?.formulas?.computed).toBe(121);
    expect(page?.formulas?.different).toHaveLength(100);
    const unknown = xlsx(
      [{ name: 'S', cells: { AB1: '<f>NOW()</f><v>1</v>', AZ2: '<f>NOW()</f><v>1</v>' } }],
      [],
    );
    const kept = (await readAllPages(unknown, FORCED))[0]?.formulas?.notComputed;
    expect(kept?.map(({ cell }) => cell)).toEqual(['AB1', 'AZ2']);
    const hidden = {
      name: 'S',
      cells: {},
      rows: '<row><c><v>1</v></c></row><row hidden="1"><c><f>A1+6</f></c></row>',
    };
    const shown = await readAllPages(xlsx([hidden], []), { ...FORCED, remove_hidden_text: true });
    expect(tables(shown)).toEqual(
      tables(await readAllPages(xlsx([{ name: 'S', cells: { A1: '<v>1</v>' } }], []), {})),
    );
  });

  it('prefer names of their sheet to names of the workbook', async () => {
    const cells = { A1: '<v>2</v>', B1: '<v>3</v>', C1: '<f>Rate*10</f>' };
    const names =
      '<definedNames><definedName name="Rate">S!$A$1</definedName><definedName name="Rate" localSheetId="0">S!$B$1</definedName></definedNames>';
    const sheets = ['S', 'T'].map((name) => ({ name, cells }));
    const pages = await readAllPages(xlsx(sheets, [], undefined, names), {});
    expect(tables(pages)).toEqual([['2\t3\t30'], ['2\t3\t20']]);
  });

  it('are not computed if there are too many', async () => {
    const row = '<c><f>1+1</f></c>'.repeat(100);
    const of = async (rows: number) => {
      const sheet = { name: 'S', cells: {}, rows: `<row>${row}</row>`.repeat(rows) };
      const [page] = await readAllPages(xlsx([sheet], []), {});
      return { first: page?.blocks[1]?.text.split('\t', 1)[0], ...page?.formulas };
    };
    expect(await of(300)).toMatchObject({ first: '2', computed: 30_000, notComputed: [] });
    const more = await of(301);
    expect(more).toMatchObject({ first: '=1+1', computed: 0 });
    expect(more.notComputed).toHaveLength(100);
    expect(more.notComputed?.[99]).toEqual({
      cell: 'CV1',
      reason: 'the workbook has more than 30000 formulas',
    });
  });

  it('are shown as text if they have no result and cannot be computed', async () => {
    const cells = { A1: '<f>UNKNOWN(1)</f>', B1: '<f>A1+1</f>' };
    const [page] = await readAllPages(xlsx([{ name: 'S', cells }], []), {});
    expect(page?.blocks[1]?.text).toBe('=UNKNOWN(1)\t=A1+1');
    expect(page?.formulas?.notComputed).toEqual([
      { cell: 'A1', reason: 'the function UNKNOWN is not supported' },
      { cell: 'B1', reason: 'it refers to a cell that was not computed' },
    ]);
  });
});

describe('xls formulas', () => {
  it('are computed on request', async () => {
    // C1 is SUM(A1:B2) with the stored result 7.
    const sum = [0x25, ...u16(0, 1, 0xc000, 0xc001), 0x19, 0x10, 0, 0];
    const bytes = xls([
      { row: 0, column: 0, value: 1 },
      { row: 0, column: 1, value: 2 },
      { row: 0, column: 2, value: 7, tokens: sum },
      { row: 1, column: 0, value: 3 },
      { row: 1, column: 1, value: 4 },
    ]);
    expect(tables(await readAllPages(bytes, {}))).toEqual([['1\t2\t7\n3\t4\t']]);
    const [page] = await readAllPages(bytes, FORCED);
    expect(tables([page!])).toEqual([['1\t2\t10\n3\t4\t']]);
    expect(page?.formulas?.different).toEqual([{ cell: 'C1', stored: '7', computed: '10' }]);
  });
});

describe('ods formulas', () => {
  const cell = (type: string, value: string, shown: string, formula = '') =>
    `<table:table-cell office:value-type="${type}" office:${type === 'date' ? 'date-' : ''}value="${value}"${formula && ` table:formula="${formula}"`}><text:p>${shown}</text:p></table:table-cell>`;
  const row = (...cells: string[]) => `<table:table-row>${cells.join('')}</table:table-row>`;
  const SHEET = `<table:table table:name="S">${row(
    cell('float', '4', '4'),
    cell('float', '9', '9', 'of:=[.A1]*2'),
    cell('percentage', '0.5', '50%', 'of:=[.A1]/16'),
  )}${row(
    cell('date', '2024-03-01', '01.03.24'),
    cell('date', '2024-03-01', '01.03.24', 'of:=[.A2]+31'),
    '<table:table-cell table:formula="of:=SUM(Fours;1)"/>',
  )}</table:table><table:named-expressions><table:named-range table:name="Fours" table:cell-range-address="$S.$A$1"/></table:named-expressions>`;

  it('are computed on request, or if no result is stored', async () => {
    const bytes = odf('spreadsheet', SHEET);
    expect(tables(await readAllPages(bytes, {}))).toEqual([['4\t9\t50%\n2024-03-01\t2024-03-01\t5']]);
    const [page] = await readAllPages(bytes, FORCED);
    expect(tables([page!])).toEqual([['4\t8\t25%\n2024-03-01\t2024-04-01\t5']]);
    expect(page?.formulas).toEqual({
      computed: 4,
      stored: 0,
      different: [
        { cell: 'B1', stored: '9', computed: '8' },
        { cell: 'C1', stored: '50%', computed: '25%' },
        { cell: 'B2', stored: '2024-03-01', computed: '2024-04-01' },
      ],
      notComputed: [],
    });
  });
});
