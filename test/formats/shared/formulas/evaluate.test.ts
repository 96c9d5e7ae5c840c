import { describe, expect, it } from 'vitest';
import { computeFormulas } from '#src/formats/shared/formulas/compute.ts';
import type { Dialect } from '#src/formats/shared/formulas/tokens.ts';
import { isError, type Scalar } from '#src/formats/shared/formulas/values.ts';
import type { FormulaCell } from '#src/formats/shared/formulas/workbook.ts';
import { WorkBudget } from '#src/formats/shared/work-budget.ts';
import { column, HOSTILE_FORMULAS } from './hostile-formulas.ts';

const TABLE: Scalar[][] = [
  ['Item', 'Kind', 'Count', 'Price', 45352],
  ['Apple', 'fruit', 3, 1.5, 45383],
  ['Beet', 'root', 10, 0.25, null],
  ['Cherry', 'fruit', 200, 0.05, '7'],
  ['Date', 'fruit', null, 2, true],
];

/** Returns the results of formulas in column H of the table above, or the reason in brackets. */
async function results(formulas: string[], dialect: Dialect = 'ooxml'): Promise<unknown[]> {
  const rows = new Map(TABLE.map((row, at) => [at, row.map((cell) => cell ?? undefined)]));
  const cells: FormulaCell[] = formulas.map((formula, row) => ({ row, column: 7, formula }));
  const names = [
    { name: 'Counts', formula: dialect === 'odf' ? '[$Data.$C$2:.$C$5]' : 'Data!$C$2:$C$5' },
    { name: 'Loop', formula: 'Loop+1' },
  ];
  const other = { name: "Other's", rows: new Map([[0, [5, 6]]]), formulas: [] };
  const sheets = [{ name: 'Data', rows, formulas: cells }, other];
  const [found] = await computeFormulas(
    { sheets, names, dialect, date1904: false },
    () => true,
    new WorkBudget(),
  );
  return formulas.map((_, row) => {
    const value = found!.computed.get(row)?.get(7);
    if (value === undefined) return `(${found!.notComputed.find((one) => one.row === row)?.reason})`;
    return isError(value) ? value.code : value;
  });
}

describe('formulas', () => {
  const EXPECTED: [formula: string, result: unknown][] = [
    ['1+2*3^2', 19],
    ['-2^2', 4],
    ['2^3^2', 64],
    ['10%*50', 5],
    ['"a"&1&TRUE', 'a1TRUE'],
    ['"A"="a"', true],
    ['1<"a"', true],
    ['1/0', '#DIV/0!'],
    ['"x"+1', '#VALUE!'],
    ['0.1+0.2-0.3', 0],
    ['SUM(C2:C5)', 213],
    ['SUM(C:C)', 213],
    ['SUM(Counts)', 213],
    ["SUM('Other''s'!A1:B1)", 11],
    ['SUM(Nowhere!A1)', '#REF!'],
    ['SUM(E1:E5)', 90735],
    ['AVERAGE(C2:C5)', 71],
    ['COUNT(C1:C5)', 3],
    ['COUNTA(C1:C5)', 4],
    ['COUNTBLANK(C1:C5)', 1],
    ['MAX(C2:C5)-MIN(C2:C5)', 197],
    ['MEDIAN(D2:D5)', 0.875],
    ['STDEV.S({1,2,3,4})', 1.2909944487358056],
    ['SUMPRODUCT(C2:C4,D2:D4)', 17],
    ['SUMPRODUCT((B2:B5="fruit")*D2:D5)', 3.55],
    ['IF(C2>2,"many","few")', 'many'],
    ['IF(FALSE,1/0)', false],
    ['IFERROR(1/0,"none")', 'none'],
    ['IFERROR(VLOOKUP("Fig",A2:D5,3,FALSE),"none")', 'none'],
    ['VLOOKUP("beet",A2:D5,3,FALSE)', 10],
    ['VLOOKUP("B*",A2:D5,2,0)', 'root'],
    ['VLOOKUP(5,{1,"low";4,"middle";9,"high"},2)', 'middle'],
    ['INDEX(A2:D5,MATCH("Cherry",A2:A5,0),4)', 0.05],
    ['XLOOKUP("Beet",A2:A5,D2:D5)', 0.25],
    ['XLOOKUP("Fig",A2:A5,D2:D5,"none")', 'none'],
    ['HLOOKUP("Count",A1:D3,3,FALSE)', 10],
    ['COUNTIF(B2:B5,"fruit")', 3],
    ['COUNTIF(C2:C5,">=10")', 2],
    ['COUNTIF(A2:A5,"?e*")', 1],
    ['SUMIF(B2:B5,"fruit",C2:C5)', 203],
    ['SUMIFS(C2:C5,B2:B5,"fruit",D2:D5,"<1")', 200],
    ['AVERAGEIF(B2:B5,"root",D2:D5)', 0.25],
    ['ROUND(2.345,2)', 2.35],
    ['ROUND(-2.5,0)', -3],
    ['ROUND(1234.5,-2)', 1200],
    ['MOD(-4,2)', 0],
    ['MOD(-3,2)', 1],
    ['ATAN2(1,2)', 1.1071487177940904],
    ['CEILING(2.1,0.5)', 2.5],
    ['LEFT("harbour")', 'h'],
    ['MID("harbour",2,3)', 'arb'],
    ['SUBSTITUTE("a-b-c","-","+",2)', 'a-b+c'],
    ['SEARCH("B??U","harBOur")', '#VALUE!'],
    ['SEARCH("b*r","harBOur")', 4],
    ['TEXT(1234.5,"#,##0.00")', '1,234.50'],
    ['TEXT(E1,"yyyy-mm-dd")', '2024-03-01'],
    ['TEXTJOIN("; ",TRUE,A2:A3)', 'Apple; Beet'],
    ['DATE(2024,3,1)', 45352],
    ['EDATE(E1,1)', 45383],
    ['EOMONTH(E1,0)', 45382],
    ['YEAR(E1)*100+MONTH(E1)', 202403],
    ['WEEKDAY(E1,2)', 5],
    ['E2-E1', 31],
    ['PMT(0.01,12,1000)', -88.84878867834169],
    ['NPV(0.1,100,100)', 173.55371900826447],
    ['ROW(B7)+COLUMN(B1)', 9],
    ['SUM(OFFSET(C1,1,0,3,1))', 213],
    ['_xlfn.CONCAT(A2:A3)', 'AppleBeet'],
    ['RANK(10,C2:C4)', 2],
    ['C3:C3*2', 20],
  ];

  it('give the same results as spreadsheet programs', async () => {
    const found = await results(EXPECTED.map(([formula]) => formula));
    const rows = EXPECTED.map(([formula], at) => [formula, found[at]]);
    expect(rows).toEqual(EXPECTED.map((row) => [...row]));
  });

  it('are parsed in OpenDocument syntax', async () => {
    const formulas = [
      'of:=SUM([.C2:.C5];1)',
      "of:=SUM([$'Other''s'.A1:.B1])",
      'of:=SUM(Counts)',
      'of:=SUM({1;2|3;4})',
    ];
    expect(await results(formulas, 'odf')).toEqual([214, 11, 213, 10]);
  });

  it('keep the stored result with a reason if they are not supported', async () => {
    expect(
      await results([
        'TODAY()',
        'WEBSERVICE("http://example.org")',
        '[1]Sheet1!A1',
        'Table1[Sum]',
        'SUM(1,',
        'NoSuchName*2',
        'Loop',
        `${'('.repeat(200)}1${')'.repeat(200)}`,
      ]),
    ).toEqual([
      '(TODAY returns a different result each time)',
      '(the function WEBSERVICE is not supported)',
      '(it refers to another file or to a named table)',
      '(it refers to another file or to a named table)',
      '(its syntax is not supported)',
      '(the name NoSuchName is not defined)',
      '(its names refer to each other)',
      '(it is nested too deeply)',
    ]);
  });
});

describe('hostile formulas', () => {
  it('are computed along chains of any length in both directions', async () => {
    const size = 30_000;
    const down = await column(Array.from({ length: size }, (_, row) => (row === 0 ? '1' : `A${row}+1`)));
    expect(down.computed.get(size - 1)?.get(0)).toBe(size);
    const up = await column(
      Array.from({ length: size }, (_, row) => (row === size - 1 ? '1' : `A${row + 2}+1`)),
    );
    expect(up.computed.get(0)?.get(0)).toBe(size);
  });

  it('are not computed if they depend on themselves', async () => {
    const size = 5000;
    const ring = await column(Array.from({ length: size }, (_, row) => `A${((row + 1) % size) + 1}+1`));
    expect(ring.notComputed.length).toBe(size);
    expect(ring.notComputed.map(({ reason }) => reason)).toContain('it depends on itself');
    const pair = await column(['A2', 'A1', 'A3', '5']);
    expect(pair.notComputed.map(({ row }) => row)).toEqual([0, 1, 2]);
    expect(pair.computed.get(3)?.get(0)).toBe(5);
  });

  it.each(HOSTILE_FORMULAS)('each have a result or a reason: $name', async ({ size, make, fills }) => {
    const formulas = make(size);
    const found = await column(formulas, fills);
    expect(found.computed.size + found.notComputed.length).toBeGreaterThanOrEqual(formulas.length);
  });
});
