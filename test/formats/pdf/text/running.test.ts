import { describe, expect, it } from 'vitest';
import { paragraph, text } from '#test/fixtures/pdf.ts';
import { readOne, readPages } from '../helpers.ts';

/** Three lines of prose, others on every page. */
const body = (page: number) => [
  `The body of page ${page} is plain prose, and it`,
  `goes on from page ${page} to the next one with a`,
  `sentence that the end of page ${page} cuts in two`,
];

const typesOf = (blocks: { type: string }[]) => blocks.map(({ type }) => type);

describe('running lines far from the edge of the paper', () => {
  it('knows a head and a number that the neighbours have at the same height', async () => {
    const pages = await readPages(
      [1, 2, 3].map((number) => ({
        content:
          text(400, 660, 'A. Writer et al.', 10) +
          paragraph(100, 620, body(number)) +
          text(300, 140, `${number}`, 10),
      })),
    );
    for (const page of pages) expect(typesOf(page.blocks)).toEqual(['header', 'paragraph', 'footer']);
  });

  it('knows the heads of left and of right pages', async () => {
    const pages = await readPages(
      ['Of columns', 'A. Writer', 'Of columns', 'A. Writer'].map((head, index) => ({
        content: text(100, 660, head, 10) + paragraph(100, 620, body(index)),
      })),
    );
    for (const page of pages) expect(typesOf(page.blocks)).toEqual(['header', 'paragraph']);
  });

  it('leaves what is not set off from the text, and numbered headings, to the text', async () => {
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
    expect(typesOf(chapters[0]!.blocks)).not.toContain('header');
  });
});

describe('numbers that are no page numbers', () => {
  const numbers = (y: number, rows: number[][]) =>
    rows
      .flatMap((row, r) => row.map((value, c) => text(72 + c * 60, y - r * 15, String(value), 10)))
      .join('');

  it('leaves the rows of a sheet in their order', async () => {
    const page = await readOne(
      numbers(760, [
        [1, 2, 3],
        [4, 5, 6],
        [7, 8, 9],
      ]),
    );
    expect(page.text).toBe('1\t2\t3\n4\t5\t6\n7\t8\t9');
  });

  it('leaves the rows of a sheet that goes on over pages', async () => {
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

  it('leaves a column of numbers whole', async () => {
    const page = await readOne(numbers(760, [[1], [2], [3]]));
    expect(page.text).toBe('1 2 3');
    expect(typesOf(page.blocks)).toEqual(['paragraph']);
  });

  it('still takes the one number beside a running head', async () => {
    const [page] = await readPages(
      [4, 5].map((number) => ({
        content:
          text(72, 760, 'A tale of columns', 10) +
          text(500, 760, `${number}`, 10) +
          paragraph(72, 700, body(number)),
      })),
    );
    expect(typesOf(page!.blocks)).toEqual(['header', 'paragraph']);
  });
});
