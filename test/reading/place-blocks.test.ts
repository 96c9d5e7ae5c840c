import { describe, expect, it } from 'vitest';
import type { Word } from '#src/documents/document.ts';
import { splitMarkdown } from '#src/documents/markdown/document-blocks.ts';
import { placeBlocks } from '#src/reading/place-blocks.ts';

/** Words of 10 points each, a line of text every 20 points. */
function printed(...lines: string[]): Word[] {
  return lines.flatMap((line, row) =>
    line.split(' ').map((word, column): Word => [word, 10 * column, 20 * row, 10, 12]),
  );
}
const placed = (markdown: string, words: Word[]) =>
  placeBlocks(splitMarkdown(markdown), { words, blocks: [] }).map(
    ({ box }) => box && [box.x, box.y, box.w, box.h],
  );

describe('blocks of Markdown', () => {
  it('have the boxes of the words that they share with the page', () => {
    const words = printed('Annual Ledger', 'The ferry carried tin', 'and copper.', 'It sank.');
    expect(placed('# Annual Ledger\n\nThe ferry carried **tin** and copper.\n\nIt sank.', words)).toEqual([
      [0, 0, 20, 12],
      [0, 20, 40, 32],
      [0, 60, 20, 12],
    ]);
  });

  it('are found where they stand, in whatever order they come', () => {
    const words = printed('one two three', 'four five six', 'seven eight nine');
    expect(placed('seven eight nine\n\none two three', words)).toEqual([
      [0, 40, 30, 12],
      [0, 0, 30, 12],
    ]);
  });

  it('that say the same have a place each', () => {
    const between = Array.from({ length: 40 }, (_, n) => `word${n}`).join(' ');
    const words = printed('Total due', between, 'Total due');
    const boxes = placed(`Total due\n\n${between}\n\nTotal due`, words);
    expect(boxes.map((box) => box?.[1])).toEqual([0, 20, 40]);
  });

  it('have no box where the page does not say them', () => {
    expect(placed('Nothing of this is there, the ferry least.', printed('The ferry carried tin'))).toEqual([
      undefined,
    ]);
  });

  it('of a table have the box of its cells', () => {
    const words = printed('Item Count', 'Tin 12', 'Zinc 7', 'Signed by Ada');
    expect(placed('| Item | Count |\n|---|---|\n| Tin | 12 |\n| Zinc | 7 |', words)).toEqual([
      [0, 0, 20, 52],
    ]);
  });

  it('have the boxes of blocks where words have no places', () => {
    const box = { x: 1, y: 2, w: 3, h: 4 };
    const blocks = [{ type: 'paragraph' as const, text: 'The ferry carried tin', markdown: '', box }];
    expect(placeBlocks(splitMarkdown('The *ferry* carried tin'), { words: [], blocks })[0]!.box).toEqual(box);
  });
});
