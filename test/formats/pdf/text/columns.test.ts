import { expect, it } from 'vitest';
import { paragraph, text } from '#test/fixtures/pdf.ts';
import { readOne, withDocument } from '../helpers.ts';

const prose = (column: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${column} column line ${index + 1} of its plain prose`);

/** Returns short, small labels as in a drawing. Some are level with each other. */
const labels = (x: number, y: number, count: number) =>
  Array.from({ length: count }, (_, index) =>
    text(x + (index % 3) * 50 + (index % 2) * 7, y - index * 5.5, `node ${index}`, 6),
  ).join('');

it('reads columns one after the other beside a figure with many labels', async () => {
  const page = await readOne(
    paragraph(72, 720, prose('left', 28)) +
      labels(330, 725, 30) +
      text(340, 540, 'Figure 1: The nodes.', 10) +
      paragraph(320, 510, prose('right', 10)),
  );
  expect(page.text).toContain(prose('left', 28).join(' '));
  expect(page.text).toContain(prose('right', 10).join(' '));
  expect(page.text.indexOf('left column line 28')).toBeLessThan(page.text.indexOf('node 0'));
  expect(page.text.indexOf('Figure 1')).toBeLessThan(page.text.indexOf('right column line 1 '));
});

it('reads columns below a figure that spans both', async () => {
  const page = await readOne(
    labels(80, 740, 20) +
      labels(260, 740, 20) +
      labels(420, 740, 20) +
      text(180, 610, 'Figure 1: All of the nodes, across both columns.', 10) +
      paragraph(72, 580, prose('left', 12)) +
      paragraph(320, 580, prose('right', 12)),
  );
  expect(page.text).toContain(prose('left', 12).join(' '));
  expect(page.text).toContain(prose('right', 12).join(' '));
});

it('reads a table of short cells with descriptions by row', async () => {
  const rows = Array.from({ length: 8 }, (_, index) => 700 - index * 14);
  const page = await readOne(
    rows
      .map(
        (y, index) =>
          text(72, y, `A description of item number ${index}`, 10) + text(400, y, `${index},50`, 10),
      )
      .join(''),
  );
  expect(page.text.indexOf('0,50')).toBeLessThan(page.text.indexOf('item number 1'));
});

it('reads the right column first for right-to-left scripts', async () => {
  const hebrew = [...'abcdefghijklmnopqrstuv'].map((_, at) => String.fromCharCode(0x5d0 + at));
  const letters = Object.fromEntries(
    hebrew.map((letter, at) => [(97 + at).toString(16), letter.charCodeAt(0).toString(16).padStart(4, '0')]),
  );
  const toUnicode = { ...letters, 20: '0020' };
  const column = (x: number, word: string) =>
    Array.from({ length: 8 }, (_, at) =>
      text(x, 700 - at * 12, `${word} abcd efgh ijkl mnop qrst`, 10, 'F4'),
    ).join('');
  const page = await withDocument(
    { pages: [{ content: column(72, 'aaaa') + column(330, 'bbbb') }], toUnicode },
    (document) => document.readPage(0),
  );
  expect(page.text.lastIndexOf('\u05d1\u05d1\u05d1\u05d1')).toBeGreaterThan(-1);
  expect(page.text.lastIndexOf('\u05d1\u05d1\u05d1\u05d1')).toBeLessThan(
    page.text.indexOf('\u05d0\u05d0\u05d0\u05d0'),
  );
});

it('reads the short tail of a column below a spanning line in column order', async () => {
  const page = await readOne(
    paragraph(72, 720, prose('left', 10)) +
      paragraph(320, 720, prose('right', 10)) +
      text(72, 590, 'This one line is written across both of the columns from the left to the right.', 12) +
      paragraph(72, 560, prose('tail', 2)) +
      paragraph(320, 560, prose('other', 2)),
  );
  expect(page.text).toContain(prose('left', 10).join(' '));
  expect(page.text).toContain(prose('right', 10).join(' '));
  expect(page.text.indexOf('tail column line 2')).toBeGreaterThan(-1);
  expect(page.text.indexOf('tail column line 2')).toBeLessThan(page.text.indexOf('other column line 1'));
});
