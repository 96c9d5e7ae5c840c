import { describe, expect, it } from 'vitest';
import { paragraph, text } from '#test/fixtures/pdf.ts';
import { readOne, readPages } from '../helpers.ts';

/** Returns three lines of prose that differ by page. */
const body = (page: number) => [
  `The body of page ${page} is plain prose, and it`,
  `goes on from page ${page} to the next one with a`,
  `sentence that the end of page ${page} cuts in two`,
];

const listTypes = (blocks: { type: string }[]) => blocks.map(({ type }) => type);

describe('headers and footers far from the paper edge', () => {
  it('detects a header and page number that repeat at the same height', async () => {
    const pages = await readPages(
      [1, 2, 3].map((number) => ({
        content:
          text(400, 660, 'A. Writer et al.', 10) +
          paragraph(100, 620, body(number)) +
          text(300, 140, `${number}`, 10),
      })),
    );
    for (const page of pages) expect(listTypes(page.blocks)).toEqual(['header', 'paragraph', 'footer']);
  });

  it('detects different headers on left and right pages', async () => {
    const pages = await readPages(
      ['Of columns', 'A. Writer', 'Of columns', 'A. Writer'].map((head, index) => ({
        content: text(100, 660, head, 10) + paragraph(100, 620, body(index)),
      })),
    );
    for (const page of pages) expect(listTypes(page.blocks)).toEqual(['header', 'paragraph']);
  });

  it('leaves lines close to the text and numbered headings in the text', async () => {
    const sentence = 'In all cases it holds that';
    const close = await readPages(
      [1, 2].map((number) => ({
        content: text(100, 632, sentence, 10) + paragraph(100, 620, body(number)),
      })),
    );
    expect(close[0]!.text).toBe(`${sentence} ${body(1).join(' ')}`);
    const chapters = await readPages(
      [1, 2].map((number) => ({
        content: text(100, 660, `Chapter ${number}`, 10) + paragraph(100, 620, body(number)),
      })),
    );
    expect(listTypes(chapters[0]!.blocks)).not.toContain('header');
  });
});

describe('numbers other than page numbers', () => {
  const numbers = (y: number, rows: number[][]) =>
    rows
      .flatMap((row, r) => row.map((value, c) => text(72 + c * 60, y - r * 15, String(value), 10)))
      .join('');

  it('keeps the rows of a sheet in order', async () => {
    const page = await readOne(
      numbers(760, [
        [1, 2, 3],
        [4, 5, 6],
        [7, 8, 9],
      ]),
    );
    expect(page.text).toBe('1\t2\t3\n4\t5\t6\n7\t8\t9');
  });

  it('keeps the rows of a sheet that continues over pages', async () => {
    const pages = await readPages(
      [10, 20].map((from) => ({
        content: numbers(760, [
          [from, from + 1, from + 2],
          [from + 3, from + 4, from + 5],
          [from + 6, from + 7, from + 8],
        ]),
      })),
    );
    expect(pages[0]!.text).toBe('10\t11\t12\n13\t14\t15\n16\t17\t18');
  });

  it('keeps a column of numbers', async () => {
    const page = await readOne(numbers(760, [[1], [2], [3]]));
    expect(page.text).toBe('1 2 3');
    expect(listTypes(page.blocks)).toEqual(['paragraph']);
  });

  it('detects a page number beside a running header', async () => {
    const [page] = await readPages(
      [4, 5].map((number) => ({
        content:
          text(72, 760, 'A tale of columns', 10) +
          text(500, 760, `${number}`, 10) +
          paragraph(72, 700, body(number)),
      })),
    );
    expect(listTypes(page!.blocks)).toEqual(['header', 'paragraph']);
  });
});
