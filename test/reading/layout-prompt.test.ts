import { describe, expect, it } from 'vitest';
import type { Block } from '#src/documents/document.ts';
import { describeLayout, extractBlockMarks } from '#src/reading/layout-prompt.ts';
import { textPage } from '#test/extraction/pages.ts';

const block = (type: Block['type'], text: string, y: number): Block => ({
  ...{ type, text, markdown: text },
  box: { x: 61.2, y, w: 306, h: 79.2 },
});
const page = {
  ...textPage('', []),
  ...{ width: 612, height: 792 },
  blocks: [
    block('heading', 'Ledger', 79.2),
    block('paragraph', 'Tin,\n12 crates', 396),
    { ...block('list', 'x', 1) },
  ],
};
delete page.blocks[2]!.box;

describe('the layout of a page', () => {
  it('lists the blocks in order, with their types and their boxes in thousandths of the page', () => {
    expect(describeLayout(page).split('\n')).toEqual([
      '1 heading [100, 100, 600, 200] Ledger',
      '2 paragraph [100, 500, 600, 600] Tin, 12 crates',
      '3 list x',
    ]);
  });

  it('uses coordinates relative to the part of the page that is shown', () => {
    const seen = { x: 61.2, y: 396, w: 306, h: 396 };
    expect(describeLayout(page, seen).split('\n')[1]).toBe('2 paragraph [0, 0, 1000, 200] Tin, 12 crates');
  });
});

describe('block marks', () => {
  it('locate the text that follows them, and are removed', () => {
    const { markdown, places } = extractBlockMarks(
      '<!-- block 1 -->\n# Ledger\n\n<!-- block 2 -->\nTin, 12 crates\n',
      page,
    );
    expect(markdown).toBe('# Ledger\n\nTin, 12 crates');
    expect(places.map(({ start, end, box }) => [markdown.slice(start, end).trim(), box?.y])).toEqual([
      ['# Ledger', 79.2],
      ['Tin, 12 crates', 396],
    ]);
  });

  it('locate nothing if the block does not exist or has no box', () => {
    const { markdown, places } = extractBlockMarks(
      '<!-- block 9 -->\nA\n<!-- block 3 -->\nB\n<!-- block 0 -->\nC',
      page,
    );
    expect(markdown).toBe('A\nB\nC');
    expect(places).toEqual([]);
  });

  it('do not affect other comments or text', () => {
    const answer = 'A <!-- block 1 --> B\n<!-- note -->\nC';
    expect(extractBlockMarks(answer, page)).toEqual({ markdown: answer, places: [] });
  });
});
