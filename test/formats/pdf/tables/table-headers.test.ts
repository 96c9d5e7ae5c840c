import { describe, expect, it } from 'vitest';
import { findTablesInWords } from '#src/formats/pdf/tables/word-tables.ts';
import { line, paragraph, rectangle, text } from '#test/fixtures/pdf.ts';
import { readOne } from '../helpers.ts';

const PITCH = 16;

/** Draws rows of cells below each other, the first at y. An empty cell draws nothing. */
function drawRows(xs: readonly number[], y: number, rows: readonly (readonly string[])[]): string {
  return rows
    .flatMap((row, at) =>
      row.map((cell, column) => (cell === '' ? '' : text(xs[column]!, y - at * PITCH, cell, 10))),
    )
    .join('');
}

const XS = [72, 220, 290, 360, 430];
const BODY = [
  ['Copper wire', '12.4', '13.1', '40.0', '41.5'],
  ['Brass fittings', '7.9', '8.3', '22.6', '23.0'],
  ['Steel plates', '30.2', '29.8', '91.7', '90.4'],
];

const readTables = async (content: string) =>
  (await readOne(content)).blocks.filter(({ type }) => type === 'table').map((block) => block.text);

const toText = (rows: readonly (readonly string[])[]) => rows.map((row) => row.join('\t')).join('\n');

describe('headers of tables', () => {
  it('repeats a header over the columns that it covers', async () => {
    const content =
      text(240, 700, 'First half', 10) +
      text(380, 700, 'Second half', 10) +
      drawRows(XS, 684, [['', '2023', '2024', '2023', '2024'], ...BODY]);
    expect(await readTables(content)).toEqual([
      toText([
        ['', 'First half', 'First half', 'Second half', 'Second half'],
        ['', '2023', '2024', '2023', '2024'],
        ...BODY,
      ]),
    ]);
  });

  it('takes the columns of a header from the rule below it', async () => {
    const content =
      text(225, 700, 'Three quarters of the year', 10) +
      line(218, 697, 388, 697) +
      drawRows(XS, 684, [['Goods', 'Spring', 'Summer', 'Autumn', 'Rest'], ...BODY]);
    expect(await readTables(content)).toEqual([
      toText([
        [
          'Goods',
          'Three quarters of the year',
          'Three quarters of the year',
          'Three quarters of the year',
          'Rest',
        ],
        ['', 'Spring', 'Summer', 'Autumn', ''],
        ...BODY,
      ]),
    ]);
  });

  it('puts the title of the first group of rows between the header and the body', async () => {
    const content =
      drawRows(XS, 700, [['', 'Spring', 'Summer', 'Autumn', 'Winter']]) +
      text(72, 684, 'METAL GOODS', 10) +
      drawRows(XS, 668, BODY);
    expect(await readTables(content)).toEqual([
      toText([['', 'Spring', 'Summer', 'Autumn', 'Winter'], ['METAL GOODS', '', '', '', ''], ...BODY]),
    ]);
  });

  it('reads the header between a rule and a grid of shaded cells', async () => {
    const edges = [70, 200, 290, 380];
    const rows = [
      ['Copper wire', '12.4', '13.1'],
      ['Brass fittings', '7.9', '8.3'],
      ['Steel plates', '30.2', '29.8'],
    ];
    const cells = rows.flatMap((_, row) =>
      edges
        .slice(1)
        .map((x, column) =>
          rectangle(edges[column]!, 660 - row * 20, x - edges[column]!, 20, '0.95 0.95 0.9'),
        ),
    );
    const content =
      cells.join('') +
      line(70, 700, 380, 700) +
      paragraph(72, 730, ['Prices by season in the last year']) +
      ['Goods', 'Spring', 'Summer'].map((cell, at) => text(edges[at]! + 5, 686, cell, 10)).join('') +
      rows
        .map((row, y) => row.map((cell, at) => text(edges[at]! + 5, 666 - y * 20, cell, 10)).join(''))
        .join('');
    expect(await readTables(content)).toEqual([toText([['Goods', 'Spring', 'Summer'], ...rows])]);
  });

  it('splits headers that stand close together by the columns below them', async () => {
    const xs = [72, 200, 236, 330];
    const content =
      drawRows(xs, 700, [['Goods', 'Discount Quantity', '', 'Amount']]) +
      drawRows(xs, 684, [
        ['Copper wire', '21 %', '100', '49.99'],
        ['Brass fittings', '10 %', '250', '12.00'],
        ['Steel plates', '15 %', '300', '73.10'],
      ]);
    expect((await readTables(content))[0]).toMatch(
      /^Goods\tDiscount\tQuantity\tAmount\nCopper wire\t21 %\t100\t/,
    );
  });

  it('does not read a caption above a table as a header', async () => {
    const content =
      text(150, 716, 'Table 3: Prices by season', 10) +
      drawRows(XS, 700, [['Goods', 'Spring', 'Summer', 'Autumn', 'Winter'], ...BODY]);
    const page = await readOne(content);
    expect(page.blocks.map(({ type }) => type)).toEqual(['paragraph', 'table']);
    expect(page.blocks[1]!.text).toMatch(/^Goods\tSpring/);
  });
});

describe('lines above a table of words', () => {
  const words = [
    ['Goods', 'Origin', 'Dealer', 'Colour', 'Season'],
    ['Copper wire', 'Aalborg', 'Winter', 'brown', 'spring'],
    ['Brass fittings', 'Bergen', 'Summer', 'yellow', 'autumn'],
    ['Steel plates', 'Tampere', 'Frost', 'grey', 'winter'],
  ];

  it('stay outside if only one piece stands above the columns', async () => {
    const page = await readOne(text(300, 716, 'Harbour stores', 10) + drawRows(XS, 700, words));
    expect(page.blocks.find(({ type }) => type === 'table')?.text).toBe(toText(words));
    expect(page.text).toContain('Harbour stores');
  });
});

describe('cells of tables without rules', () => {
  it('joins currency and percent signs with their amounts', async () => {
    const content =
      drawRows([72, 215, 240, 295, 320], 700, [['Copper wire', '$', '12.4', '$', '(1.3)']]) +
      drawRows([72, 240, 320], 684, [
        ['Brass fittings', '7.9', '8.3'],
        ['Steel plates', '30.2', '29.8'],
      ]);
    expect((await readTables(content))[0]).toBe(
      toText([
        ['Copper wire', '$ 12.4', '$ (1.3)'],
        ['Brass fittings', '7.9', '8.3'],
        ['Steel plates', '30.2', '29.8'],
      ]),
    );
  });

  it('joins percent signs with their amounts', async () => {
    const content =
      drawRows([72, 215, 243, 300], 700, [['Copper wire', '12.4', '%', '41.5']]) +
      drawRows([72, 215, 300], 684, [
        ['Brass fittings', '7.9%', '8.3'],
        ['Steel plates', '30.2%', '29.8'],
      ]);
    expect((await readTables(content))[0]).toMatch(/^Copper wire\t12\.4%\t41\.5\n/);
  });

  it('joins the first line of a row label with the row below if that is nearer', async () => {
    const content =
      drawRows(XS, 700, [['Goods', 'Spring', 'Summer', 'Autumn', 'Winter'], ...BODY]) +
      text(72, 634, 'Tools that are made of', 10) +
      drawRows(XS, 623, [['steel and copper', '1.2', '1.4', '4.4', '4.9']]);
    expect((await readTables(content))[0]).toMatch(/\nTools that are made of steel and copper\t1\.2\t/);
  });

  it('keeps two signatures side by side in two columns', async () => {
    const content =
      drawRows([72, 300], 700, [['Northern Harbour Works', 'Southern Garden Supplies']]) +
      drawRows([72, 95, 300, 323], 684, [
        ['By:', 'A. Winter', 'By:', 'B. Summer'],
        ['Title:', '', 'Title:', ''],
      ]);
    const [table] = await readTables(content);
    expect(table ?? '').not.toContain('Northern Harbour Works\tNorthern Harbour Works');
  });
});

describe('tables from word boxes', () => {
  const toWords = (rows: readonly (readonly string[])[]) =>
    rows.flatMap((row, y) =>
      row.flatMap((cell, x) => {
        // Boxes of recognized words end at different heights, depending on their letters.
        const depth = /[gpqy]/.test(cell) ? 2 : 0;
        const box = { x0: XS[x]!, x1: XS[x]! + 5 * cell.length, y0: 100 + 16 * y, y1: 109 + 16 * y + depth };
        return cell === '' ? [] : [{ ...box, text: cell }];
      }),
    );

  it('finds an aligned table', () => {
    const rows = [['Goods', 'Spring', 'Summer', 'Autumn', 'Yearly'], ...BODY];
    expect(findTablesInWords(toWords(rows)).map((table) => table.rows)).toEqual([rows]);
  });

  it('finds no table in lines of prose', () => {
    const words = Array.from({ length: 60 }, (_, at) => {
      const x0 = 72 + (at % 12) * 30;
      const y0 = 100 + Math.floor(at / 12) * 14;
      return { x0, x1: x0 + 27, y0, y1: y0 + 10, text: 'meadow' };
    });
    expect(findTablesInWords(words)).toEqual([]);
  });
});
