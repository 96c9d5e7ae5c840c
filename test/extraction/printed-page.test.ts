import { describe, expect, it } from 'vitest';
import type { Block, Page, Word } from '#src/documents/document.ts';
import { layOut } from '#src/documents/layout/layout.ts';
import { PrintedPage } from '#src/extraction/printed-page.ts';

/** Returns the words of a line, each 10 points wide. */
const line = (text: string, y: number, x = 0): Word[] =>
  text.split(' ').map((word, at) => [word, x + at * 12, y, 10, 8]);

const block = (markdown: string, y: number, height: number, x = 0): Block => ({
  type: 'paragraph',
  text: markdown,
  markdown,
  box: { x, y, w: 290, h: height },
});

function buildPage(blocks: Block[], words: Word[]): Page {
  const markdown = blocks.map((each) => each.markdown).join('\n\n');
  const size = { width: 600, height: 800 };
  return { index: 0, label: '1', ...size, text: markdown, markdown, blocks, words, links: [], figures: [] };
}

function printed(page: Page, before = '', shown = page.blocks) {
  const text = `${before}${shown.map((each) => each.markdown).join('\n\n')}`;
  const print = new PrintedPage(text, { start: before.length, end: text.length }, page, shown);
  const findBoxesByText = (part: string, from = 0) => {
    const start = text.indexOf(part, from);
    return print.findBoxes({ start, end: start + part.length });
  };
  return { text, findBoxesByText };
}

describe('printed position of a chunk', () => {
  const page = buildPage(
    [
      block('## **Total** and [sum](http://a.example/x-y_z)', 0, 10),
      block('| Total | sum |\n| --- | --- |\n| one | 1 |\n| two | 2 |', 20, 30),
      block('Total and sum of all', 60, 20),
    ],
    [
      ...line('Total and sum', 0),
      ...line('Total sum', 20),
      ...line('one 1', 30),
      ...line('two 2', 40),
      ...line('Total and sum', 60),
      ...line('of all', 70),
    ],
  );

  it('is found block by block, even for text that is printed several times', () => {
    const { findBoxesByText, text } = printed(page);
    const tops = (part: string, from = 0) => findBoxesByText(part, from).map(({ y }) => y);
    expect(tops('## **Total** and [sum](http://a.example/x-y_z)')).toEqual([0]);
    expect(tops('Total and sum of all')).toEqual([60, 70]);
    expect(tops(text)).toEqual([0, 20, 30, 40, 60, 70]);
  });

  it('counts marks of footnotes as the page prints them', () => {
    const marks = Array.from({ length: 40 }, (_, at) => at + 1);
    const footnotes = buildPage(
      [block(marks.map((at) => `sum[^p123-${at}]`).join(' '), 0, 400)],
      marks.flatMap((at) => line(`sum${at}`, 10 * at)),
    );
    expect(printed(footnotes).findBoxesByText('sum[^p123-30]')).toEqual([{ x: 0, y: 300, w: 10, h: 8 }]);
  });

  it('covers only the table rows and paragraph lines in the chunk', () => {
    const { findBoxesByText } = printed(page);
    expect(findBoxesByText('| one | 1 |')).toEqual([{ x: 0, y: 30, w: 22, h: 8 }]);
    expect(findBoxesByText('| one | 1 |\n| two | 2 |').map(({ y }) => y)).toEqual([30, 40]);
    expect(findBoxesByText('of all')).toEqual([{ x: 0, y: 70, w: 22, h: 8 }]);
  });

  it('is found on a page that gained or lost a block in page merging', () => {
    const moved = buildPage(
      [block('over from before', 0, 10), block('Stays here', 20, 10)],
      [...line('over from before', 0), ...line('Stays here', 20)],
    );
    expect(printed(moved, 'PAGE 1 ', [moved.blocks[1]!]).findBoxesByText('Stays')).toEqual([
      { x: 0, y: 20, w: 10, h: 8 },
    ]);
  });

  it('is found by words if blocks have no boxes, as after OCR', () => {
    const blocks = page.blocks.map(({ box: _, ...rest }) => rest);
    const { findBoxesByText } = printed({ ...page, blocks });
    expect(findBoxesByText('| two | 2 |')).toEqual([{ x: 0, y: 40, w: 22, h: 8 }]);
    expect(findBoxesByText('of all')).toEqual([{ x: 0, y: 70, w: 22, h: 8 }]);
  });

  it('is the box of a figure, and empty without words', () => {
    const figure: Block = { ...block('![](a.png)', 100, 50), type: 'figure' };
    expect(printed(buildPage([figure], [])).findBoxesByText('![](a.png)')).toEqual([
      { x: 0, y: 100, w: 290, h: 50 },
    ]);
    const { box: _, ...nowhere } = block('Text', 0, 10);
    expect(printed(buildPage([nowhere], [])).findBoxesByText('Text')).toEqual([]);
  });

  it('matches the order of layout text', () => {
    const blocks: Block[] = [
      { type: 'heading', level: 1, text: 'Title', markdown: '# Title' },
      { type: 'table', text: 'a\tb\nc\td', markdown: '| a | b |\n| --- | --- |\n| c | d |' },
      { type: 'paragraph', text: 'Last words', markdown: 'Last words' },
    ];
    const laid = layOut({ width: 612, height: 792, blocks });
    const own = buildPage(blocks, []);
    const print = new PrintedPage(
      own.markdown,
      { start: 0, end: own.markdown.length },
      own,
      blocks,
      laid.blocks,
    );
    const boxes = print.findBoxes({ start: 0, end: own.markdown.length });
    expect(boxes).toHaveLength(4);
    expect(boxes.map(({ y }) => y)).toEqual(boxes.map(({ y }) => y).sort((a, b) => a - b));
    const from = own.markdown.indexOf('words');
    expect(print.findBoxes({ start: from, end: from + 5 })[0]!.x).toBeGreaterThan(54 + 20);
  });
});
