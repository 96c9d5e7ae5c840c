import { describe, expect, it } from 'vitest';
import { grid, line, paragraph, text } from '#test/fixtures/pdf.ts';
import { readOne } from '../helpers.ts';

const ROWS = [
  ['Item', 'Count', 'Price'],
  ['Apples', '12', '3.40'],
  ['Pears', '7', '5.10'],
  ['Plums', '120', '0.95'],
];
const XS = [72, 200, 300, 400];
const YS = [700, 680, 660, 640, 620];

const cells = ROWS.map((row, r) =>
  row.map((cell, c) => text(XS[c]! + 5, YS[r]! - 14, cell, 10)).join(''),
).join('');

describe('ruled tables', () => {
  it('reads every cell of a grid', async () => {
    const page = await readOne(paragraph(72, 740, ['The fruit we sold last week.']) + grid(XS, YS) + cells);
    expect(page.blocks.map(({ type }) => type)).toEqual(['paragraph', 'table']);
    expect(page.blocks[1]!.text).toBe(ROWS.map((row) => row.join('\t')).join('\n'));
    expect(page.blocks[1]!.markdown).toContain('| Apples | 12    | 3.40  |');
    expect(page.blocks[1]!.box).toMatchObject({ x: 72, y: 92, w: 328, h: 80 });
  });

  it('joins the lines of a cell and keeps empty cells', async () => {
    const content =
      grid([72, 200, 300], [700, 660, 640]) +
      text(77, 686, 'Two', 10) +
      text(77, 672, 'lines', 10) +
      text(205, 686, 'one', 10) +
      text(77, 646, 'last', 10);
    const page = await readOne(content, { compact_markdown_table: true });
    expect(page.markdown).toBe('|Two<br>lines|one|\n|---|---|\n|last||');
  });

  it('puts the text of a merged cell in its first column', async () => {
    const content =
      [line(72, 700, 300, 700), line(72, 680, 300, 680), line(72, 660, 300, 660)].join('') +
      [line(72, 700, 72, 660), line(300, 700, 300, 660), line(186, 680, 186, 660)].join('') +
      text(100, 686, 'Both columns together', 10) +
      text(77, 666, 'left', 10) +
      text(191, 666, 'right', 10);
    const page = await readOne(content);
    expect(page.blocks[0]!.text).toBe('Both columns together\t\nleft\tright');
  });

  it('puts the text of a cell over several rows in its first row', async () => {
    const content =
      [line(72, 700, 300, 700), line(186, 680, 300, 680), line(72, 660, 300, 660)].join('') +
      [line(72, 640, 300, 640), line(72, 700, 72, 640), line(186, 700, 186, 640)].join('') +
      line(300, 700, 300, 640) +
      text(77, 676, 'Both rows', 10) +
      text(191, 686, 'upper', 10) +
      text(191, 666, 'lower', 10) +
      text(77, 646, 'last', 10) +
      text(191, 646, 'row', 10);
    const page = await readOne(content);
    expect(page.blocks.map(({ text }) => text)).toEqual(['Both rows\tupper\n\tlower\nlast\trow']);
  });

  it('places a cell that spans columns and rows once', async () => {
    const content =
      [line(72, 700, 372, 700), line(272, 680, 372, 680), line(72, 660, 372, 660)].join('') +
      [line(72, 640, 372, 640), line(72, 700, 72, 640), line(172, 660, 172, 640)].join('') +
      [line(272, 700, 272, 640), line(372, 700, 372, 640)].join('') +
      // The center lies below its first row and right of its first column.
      text(190, 666, 'Corner', 10) +
      [text(277, 686, 'a', 10), text(277, 666, 'b', 10)].join('') +
      [text(77, 646, 'c', 10), text(177, 646, 'd', 10), text(277, 646, 'e', 10)].join('');
    const page = await readOne(content);
    expect(page.blocks.map(({ text }) => text)).toEqual(['Corner\t\ta\n\t\tb\nc\td\te']);
  });

  it('reads a nested table as text of its cell', async () => {
    const inner = [
      ['i1', 'i2'],
      ['i3', 'i4'],
    ];
    const content =
      grid([72, 300, 400], [700, 600, 560]) +
      grid([100, 150, 200], [680, 660, 640]) +
      inner.flatMap((row, r) => row.map((cell, c) => text(105 + c * 50, 666 - r * 20, cell, 10))).join('') +
      [text(305, 650, 'beside', 10), text(77, 570, 'below', 10), text(305, 570, 'last', 10)].join('');
    const page = await readOne(content);
    const tables = page.blocks.filter(({ type }) => type === 'table');
    expect(tables.map(({ text }) => text)).toEqual(['i1 i2 i3 i4\tbeside\nbelow\tlast']);
  });

  it('writes HTML on request', async () => {
    const page = await readOne(grid(XS, YS) + cells, { output_tables_as_HTML: true });
    expect(page.markdown).toContain('<tr><td>Apples</td><td>12</td><td>3.40</td></tr>');
  });

  it('does not treat a frame around prose as a table', async () => {
    const page = await readOne(
      grid([60, 400], [720, 650]) + paragraph(72, 700, ['Prose in a box', 'stays prose.']),
    );
    expect(page.blocks.map(({ type }) => type)).toEqual(['paragraph']);
  });
});

describe('tables without lines', () => {
  it('finds columns by aligned cells', async () => {
    const page = await readOne(paragraph(72, 740, ['The fruit we sold last week.']) + cells);
    expect(page.blocks.map(({ type }) => type)).toEqual(['paragraph', 'table']);
    expect(page.blocks[1]!.text).toBe(ROWS.map((row) => row.join('\t')).join('\n'));
  });

  it('joins headings that span two lines', async () => {
    const rows = [
      ['Rate', 'Mean', 'Highest'],
      ['(mm)', '', 'value (V)'],
      ['1', '2.5', '9.1'],
      ['2', '2.7', '9.4'],
    ];
    const content = rows
      .map((row, r) => row.map((cell, c) => (cell ? text(XS[c]!, 700 - r * 13, cell, 10) : '')).join(''))
      .join('');
    const page = await readOne(content);
    expect(page.blocks[0]!.text).toBe('Rate (mm)\tMean\tHighest value (V)\n1\t2.5\t9.1\n2\t2.7\t9.4');
  });

  it('treats hanging numbers as a list', async () => {
    const items = ['one', 'two', 'three', 'four'].map(
      (item, index) =>
        text(72, 700 - index * 14, `${index + 1}.`, 10) + text(100, 700 - index * 14, `item ${item}`, 10),
    );
    const page = await readOne(items.join(''));
    expect(page.blocks.map(({ type }) => type)).toEqual(['list']);
    expect(page.markdown).toBe('1. item one\n2. item two\n3. item three\n4. item four');
  });
});

describe('short tables', () => {
  const rows = (lines: string[][], xs = XS) =>
    lines
      .map((row, r) => row.map((cell, c) => (cell ? text(xs[c]!, 700 - r * 13, cell, 10) : '')).join(''))
      .join('');

  it('detects a two-row table only with a line between the rows', async () => {
    const lines = [
      ['Item', 'Count', 'Price'],
      ['Apples', '', '3.40'],
    ];
    expect((await readOne(rows(lines))).blocks.map(({ type }) => type)).not.toContain('table');
    const ruled = await readOne(rows(lines) + line(70, 696, 330, 696));
    expect(ruled.blocks.map(({ text }) => text)).toEqual(['Item\tCount\tPrice\nApples\t\t3.40']);
  });

  it('detects headings above one row of values', async () => {
    const page = await readOne(rows(ROWS.slice(0, 2)));
    expect(page.blocks.map(({ text }) => text)).toEqual(['Item\tCount\tPrice\nApples\t12\t3.40']);
  });
});

describe('formulas in prose', () => {
  it('joins a sentence around symbols with wrong font metrics', async () => {
    const page = await readOne(
      text(72, 712, 'A view of the warehouse is what all of the', 10) +
        text(72, 700, 'queries see; the log is the sequence L =', 10) +
        text(270, 700, '{q1,', 10, 'F5') +
        text(305, 700, 'q2,', 10) +
        text(335, 700, 'q3}', 10, 'F5') +
        text(370, 700, 'where each', 10) +
        text(72, 688, 'of them is a query that was asked of it.', 10),
    );
    expect(page.text).toBe(
      'A view of the warehouse is what all of the queries see; the log is the sequence L = {q1, q2, q3} where each of them is a query that was asked of it.',
    );
  });

  it('does not treat a continued sentence as a table row', async () => {
    const page = await readOne(
      text(72, 700, 'the number of all of the members that are', 10) +
        text(72, 688, 'found in the query q, for short m(q) =', 10) +
        text(290, 688, 'mi(q), and m of X', 10) +
        text(72, 676, 'a + b', 10) +
        text(290, 676, 'c', 10) +
        text(72, 664, 'd + e', 10) +
        text(290, 664, 'f', 10),
    );
    expect(page.blocks[0]!.text).toContain(
      'that are found in the query q, for short m(q) = mi(q), and m of X',
    );
  });
});
