import { expect, it } from 'vitest';
import { splitMarkdown } from '#src/documents/markdown/document-blocks.ts';
import { dropDocumentPictures, dropPictureLinks, dropStoredFigures } from '#src/lib/text/picture-links.ts';

it.each([
  ['a ![page_1_figure_1.png](page_1_figure_1.png) b', 'a  b'],
  ['![page_1_figure_1.png](page-figures/0/page_1_figure_1.png)', ''],
  ['![A crane](crane.png "At work")', 'A crane'],
  ['![](crane.png)', ''],
  ['![a ![A crane](c.png)', '![a A crane'],
  ['[crane.png](crane.png)', '[crane.png](crane.png)'],
])('drops picture links: %s becomes %j', (markdown, text) => {
  expect(dropPictureLinks(markdown)).toBe(text);
});

it('splitMarkdown leaves figure names out of the text of blocks', () => {
  const markdown =
    '# Cranes\n\n![page_1_figure_1.png](page_1_figure_1.png)\n\nSee ![A crane](c.png) and ![d.png](x/d.png).';
  expect([...splitMarkdown(markdown)].map(({ type, text }) => [type, text])).toEqual([
    ['heading', 'Cranes'],
    ['figure', ''],
    ['paragraph', 'See A crane and .'],
  ]);
});

const FIGURE = '![page_1_figure_1.png](page_1_figure_1.png)';
const SERVED = '![page_1_figure_1.png](page-figures/0/page_1_figure_1.png)';
const CUT_OUT = '![page_2_layout_table_3.png](page_2_layout_table_3.png)';

it.each([
  [`a\n\n${FIGURE}\n\nb`, 'a\n\nb', 'a\n\nb'],
  [`${FIGURE}\n\nb ${CUT_OUT} c`, '\n\nb  c', '\n\nb  c'],
  ['![A crane over ships](page_1_figure_1.png)', 'A crane over ships', 'A crane over ships'],
  [`a\n\n${SERVED}\n\nb`, 'a\n\nb', `a\n\n${SERVED}\n\nb`],
  ['![A crane](crane.png)', 'A crane', '![A crane](crane.png)'],
  [
    '![a.png](https://h.example/a.png)',
    '![a.png](https://h.example/a.png)',
    '![a.png](https://h.example/a.png)',
  ],
  [
    '![a.png](//h.example/a.png) [a](a)',
    '![a.png](//h.example/a.png) [a](a)',
    '![a.png](//h.example/a.png) [a](a)',
  ],
  ['no picture', 'no picture', 'no picture'],
])('%j is chunked as %j and shown as %j when stored in an older index', (markdown, chunked, shown) => {
  expect(dropDocumentPictures(markdown)).toBe(chunked);
  expect(dropStoredFigures(markdown)).toBe(shown);
});
