import { packed, relations } from './containers.ts';
import { bytesOfText, type HostileDocument } from './document.ts';

/** Returns the letters of a column, such as 'AB' for column 27. */
export function columnName(column: number): string {
  let letters = '';
  for (let rest = column + 1; rest > 0; rest = Math.trunc((rest - 1) / 26)) {
    letters = String.fromCharCode(65 + ((rest - 1) % 26)) + letters;
  }
  return letters;
}

/** Returns a workbook with sheets given as row XML. */
export function workbook(sheets: readonly string[], names = '', strings: readonly string[] = []): Uint8Array {
  const numbers = sheets.map((_, at) => at);
  return packed({
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels': relations(['r', 'officeDocument', 'xl/workbook.xml']),
    'xl/workbook.xml': `<workbook><sheets>${numbers.map((at) => `<sheet name="S${at}" sheetId="${at + 1}" r:id="s${at}"/>`).join('')}</sheets><definedNames>${names}</definedNames></workbook>`,
    'xl/_rels/workbook.xml.rels': relations(
      ...numbers.map((at): [string, string, string] => [`s${at}`, 'worksheet', `worksheets/sheet${at}.xml`]),
      ['t', 'sharedStrings', 'sharedStrings.xml'],
    ),
    'xl/sharedStrings.xml': `<sst>${strings.map((text) => `<si><t>${text}</t></si>`).join('')}</sst>`,
    ...Object.fromEntries(
      sheets.map((rows, at) => [
        `xl/worksheets/sheet${at}.xml`,
        `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
      ]),
    ),
  });
}

const escaped = (formula: string) =>
  formula.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
const cell = (formula: string) => `<c><f>${escaped(formula)}</f></c>`;

/** Returns the XML of rows of numbers. */
export const numberRows = (rows: number, columns: number): string =>
  Array.from(
    { length: rows },
    (_, row) =>
      `<row>${Array.from({ length: columns }, (_, at) => `<c><v>${row * columns + at}</v></c>`).join('')}</row>`,
  ).join('');

/** Returns the XML of rows with one formula each. */
const formulaRows = (count: number, formula: (row: number) => string): string =>
  Array.from({ length: count }, (_, row) => `<row>${cell(formula(row + 1))}</row>`).join('');

const computed = (name: string, rows: () => string, names = '', data = 20_000): HostileDocument => ({
  name,
  file: 'hostile.xlsx',
  bytes: () => workbook([rows(), numberRows(data, 2)], names),
});

const sheet = (name: string, file: string, bytes: () => Uint8Array): HostileDocument => ({
  name,
  file,
  bytes,
});

const DATA = 'S1!A1:A20000';
const nested = (depth: number, name: string) => `${`${name}(`.repeat(depth)}1${')'.repeat(depth)}`;

/** Workbooks with expensive formulas, and tables that expand when read. */
export const hostileSpreadsheets: readonly HostileDocument[] = [
  computed('20,000 look-ups in 20,000 rows', () =>
    formulaRows(20_000, (row) => `VLOOKUP(${row}.5,S1!A1:B20000,2,FALSE)`),
  ),
  computed('20,000 matches in 20,000 rows', () =>
    formulaRows(20_000, (row) => `INDEX(S1!B1:B20000,MATCH(${row}.5,${DATA},0))`),
  ),
  computed('5,000 sums under conditions', () =>
    formulaRows(5_000, (row) => `SUMIFS(S1!B1:B20000,${DATA},">${row}",${DATA},"<>3")`),
  ),
  computed('5,000 counts of texts with wildcards', () =>
    formulaRows(5_000, () => `COUNTIF(${DATA},"*1*2*3*4*5*6*")`),
  ),
  computed('2,000 sums of products', () =>
    formulaRows(2_000, () => `SUMPRODUCT((${DATA}>3)*(${DATA}<9)*${DATA})`),
  ),
  computed('2,000 medians, ranks and percentiles', () =>
    formulaRows(
      2_000,
      (row) => `MEDIAN(${DATA})+LARGE(${DATA},${row})+PERCENTILE(${DATA},0.3)+RANK(${row},${DATA})`,
    ),
  ),
  computed('a chain of 29,000 cells', () =>
    formulaRows(29_000, (row) => (row === 1 ? '1' : `A${row - 1}+1`)),
  ),
  computed('sums of all cells above, 10,000 times', () =>
    formulaRows(10_000, (row) => (row === 1 ? '1' : `SUM(A1:A${row - 1})`)),
  ),
  computed('functions nested 2,000 deep', () => formulaRows(200, () => nested(2_000, 'ABS'))),
  computed('functions nested 40 deep in 20,000 cells', () => formulaRows(20_000, () => nested(40, 'ABS'))),
  computed(
    'names that stand for each other',
    () => formulaRows(1_000, () => 'a'),
    '<definedName name="a">b+b</definedName><definedName name="b">a+a</definedName>',
  ),
  computed(
    'names that double at each of 30 levels',
    () => formulaRows(10, () => 'n30'),
    `${Array.from({ length: 30 }, (_, at) => `<definedName name="n${at + 1}">n${at}+n${at}</definedName>`).join('')}<definedName name="n0">1</definedName>`,
  ),
  computed('cells that need each other in a circle', () =>
    formulaRows(5_000, (row) => `A${(row % 5_000) + 1}+1`),
  ),
  computed('texts that double in 200 cells', () =>
    formulaRows(200, (row) => (row === 1 ? '"xxxxxxxx"' : `A${row - 1}&A${row - 1}`)),
  ),
  computed('texts repeated 32,767 times', () =>
    formulaRows(3_000, () => 'SUBSTITUTE(REPT("a",32767),"a","b")'),
  ),
  computed('matrices multiplied', () =>
    formulaRows(20, () => 'SUM(MMULT(S1!A1:B400,TRANSPOSE(S1!A1:B400)))'),
  ),
  computed(
    'an inverted matrix',
    () => formulaRows(5, () => 'MINVERSE(S1!A1:GR200)+MDETERM(S1!A1:GR200)'),
    '',
    200,
  ),
  computed('financial functions that iterate', () =>
    formulaRows(3_000, () => `IRR(${DATA})+XNPV(0.1,${DATA},${DATA})+RATE(1000,1,1,1)`),
  ),
  computed('statistics of extreme numbers', () =>
    formulaRows(
      3_000,
      () =>
        'BINOM.DIST(1E7,1E9,0.5,TRUE)+FACT(170)+COMBIN(1E9,5E8)+POISSON.DIST(1E9,1E9,TRUE)+HYPGEOM.DIST(1E6,1E7,1E7,1E8,TRUE)',
    ),
  ),
  computed('roman numerals, bases and series', () =>
    formulaRows(3_000, () => 'BASE(9E15,2,255)&ROMAN(3999)&SERIESSUM(2,1,1,S1!A1:A20000)'),
  ),
  computed('work days between far dates', () =>
    formulaRows(2_000, () => `NETWORKDAYS(1,2900000,${DATA})+WORKDAY(1,2900000,${DATA})`),
  ),
  computed('sequences of 1,000,000 numbers', () =>
    formulaRows(200, () => 'SUM(SEQUENCE(1000,1000))+ROWS(RANDARRAY(1000,1000))'),
  ),
  computed('regular expressions and wildcards', () =>
    formulaRows(2_000, () => `SEARCH("*a*a*a*a*b","${'a'.repeat(200)}")`),
  ),
  computed('references that are made of texts', () =>
    formulaRows(5_000, (row) => `SUM(INDIRECT("S1!A1:A"&${row}))+SUM(OFFSET(S1!A1,0,0,20000,2))`),
  ),
  computed(
    'array formulas that fill the sheet',
    () => '<row><c><f t="array" ref="A1:XFD1048576">ROW(A1:A1048576)*COLUMN(A1:XFD1)</f></c></row>',
  ),
  sheet('95,000 cells of shared texts', 'cells.xlsx', () =>
    workbook(
      [Array.from({ length: 950 }, () => `<row>${'<c t="s"><v>0</v></c>'.repeat(100)}</row>`).join('')],
      '',
      ['a text that all cells share'],
    ),
  ),
  sheet('90,000 cells that share a text of 32,000 characters', 'shared.xlsx', () =>
    workbook(
      [Array.from({ length: 900 }, () => `<row>${'<c t="s"><v>0</v></c>'.repeat(100)}</row>`).join('')],
      '',
      ['long text '.repeat(3_200)],
    ),
  ),
  sheet('250 sheets of 400 cells', 'sheets.xlsx', () =>
    workbook(new Array<string>(250).fill(numberRows(20, 20))),
  ),
  sheet('a cell in each of 50,000 far columns', 'far.xlsx', () =>
    workbook([
      Array.from(
        { length: 3_000 },
        (_, at) =>
          `<row r="${at * 300 + 1}"><c r="${columnName((at * 5) % 16_384)}${at * 300 + 1}"><v>1</v></c></row>`,
      ).join(''),
    ]),
  ),
  sheet('merged cells over a whole sheet', 'merged.xlsx', () =>
    workbook([
      `${numberRows(2, 2)}</sheetData><mergeCells>${'<mergeCell ref="A1:XFD1048576"/>'.repeat(10_000)}</mergeCells><sheetData>`,
    ]),
  ),
  sheet('a spreadsheet whose rows repeat a million times', 'repeat.fods.ods', () =>
    packed({
      mimetype: 'application/vnd.oasis.opendocument.spreadsheet',
      'content.xml': `<office:document-content><office:body><office:spreadsheet><table:table>${'<table:table-row table:number-rows-repeated="1000000"><table:table-cell table:number-columns-repeated="16000"><text:p>x</text:p></table:table-cell></table:table-row>'.repeat(50)}</table:table></office:spreadsheet></office:body></office:document-content>`,
    }),
  ),
  sheet('a table of 2,000,000 commas', 'commas.csv', () =>
    bytesOfText(`${','.repeat(2_000)}\n`.repeat(1_000)),
  ),
  sheet('a table of 300,000 lines of one value', 'lines.csv', () => bytesOfText('1\n'.repeat(300_000))),
  sheet('a table whose quotes alternate', 'quotes.csv', () => bytesOfText('"a""b",'.repeat(200_000))),
];
