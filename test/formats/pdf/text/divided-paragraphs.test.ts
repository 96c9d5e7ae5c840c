import { describe, expect, it } from 'vitest';
import { grid, paragraph, text } from '#test/fixtures/pdf.ts';
import { readOne } from '../helpers.ts';

const BEGINNING = paragraph(72, 740, ['The keeper of the lamp at the harbour writes down many remark-']);
const END = paragraph(72, 640, [
  'able things that nobody else in the harbour has ever seen.',
  'He keeps them in a book.',
]);

const readParagraphs = async (between: string) =>
  (await readOne(BEGINNING + between + END)).blocks
    .filter(({ type }) => type === 'paragraph')
    .map((block) => block.text);

const DIVIDED = [
  'The keeper of the lamp at the harbour writes down many remark-',
  'able things that nobody else in the harbour has ever seen. He keeps them in a book.',
];

describe('a word that is divided at the end of a paragraph', () => {
  it('is completed after a table', async () => {
    const table =
      grid([72, 200, 300], [710, 690, 670]) +
      [text(77, 696, 'Item', 10), text(205, 696, 'Count', 10)].join('') +
      [text(77, 676, 'Pears', 10), text(205, 676, '7', 10)].join('');
    expect(await readParagraphs(table)).toEqual([
      'The keeper of the lamp at the harbour writes down many remarkable',
      'things that nobody else in the harbour has ever seen. He keeps them in a book.',
    ]);
  });

  it('is not completed after a heading', async () => {
    expect(await readParagraphs(text(72, 700, 'Second Heading', 18))).toEqual(DIVIDED);
  });

  it('is not completed after a list', async () => {
    const list = text(72, 715, '- one item of a list', 10) + text(72, 703, '- another item of it', 10);
    expect(await readParagraphs(list)).toEqual(DIVIDED);
  });
});
