import { expect, it } from 'vitest';
import { dropPictureLinks } from '#src/lib/picture-links.ts';
import { splitMarkdown } from '#src/parsing/markdown/document-blocks.ts';

it.each([
  ['a ![page_1_figure_1.png](page_1_figure_1.png) b', 'a  b'],
  ['![page_1_figure_1.png](page-figures/0/page_1_figure_1.png)', ''],
  ['![A crane](crane.png "At work")', 'A crane'],
  ['![](crane.png)', ''],
  ['![a ![A crane](c.png)', '![a A crane'],
  ['[crane.png](crane.png)', '[crane.png](crane.png)'],
])('%s reads as %j', (markdown, text) => {
  expect(dropPictureLinks(markdown)).toBe(text);
});

it('names of figures are no text of the blocks that a model wrote', () => {
  const markdown =
    '# Cranes\n\n![page_1_figure_1.png](page_1_figure_1.png)\n\nSee ![A crane](c.png) and ![d.png](x/d.png).';
  expect([...splitMarkdown(markdown)].map(({ type, text }) => [type, text])).toEqual([
    ['heading', 'Cranes'],
    ['figure', ''],
    ['paragraph', 'See A crane and .'],
  ]);
});
