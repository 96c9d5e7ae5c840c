import { describe, expect, it } from 'vitest';
import type { Word } from '#src/documents/document.ts';
import { splitMarkdown } from '#src/documents/markdown/document-blocks.ts';
import { placeBlocks } from '#src/reading/place-blocks.ts';

/** Returns words that are 10 points wide, in lines 20 points apart. */
function printed(...lines: string[]): Word[] {
  return lines.flatMap((line, row) =>
    line.split(' ').map((word, column): Word => [word, 10 * column, 20 * row, 10, 12]),
  );
}
const placed = (markdown: string, words: Word[]) =>
  placeBlocks(splitMarkdown(markdown), { words, blocks: [] }).map(
    ({ box }) => box && [box.x, box.y, box.w, box.h],
  );

describe('placeBlocks', () => {
  it('gives each block the box around the words that it shares with the page', () => {
    const words = printed('Annual Ledger', 'The ferry carried tin', 'and copper.', 'It sank.');
    expect(placed('# Annual Ledger\n\nThe ferry carried **tin** and copper.\n\nIt sank.', words)).toEqual([
      [0, 0, 20, 12],
      [0, 20, 40, 32],
      [0, 60, 20, 12],
    ]);
  });

  it('finds blocks in any order', () => {
    const words = printed('one two three', 'four five six', 'seven eight nine');
    expect(placed('seven eight nine\n\none two three', words)).toEqual([
      [0, 40, 30, 12],
      [0, 0, 30, 12],
    ]);
  });

  it('gives blocks with the same text different boxes', () => {
    const between = Array.from({ length: 40 }, (_, n) => `word${n}`).join(' ');
    const words = printed('Total due', between, 'Total due');
    const boxes = placed(`Total due\n\n${between}\n\nTotal due`, words);
    expect(boxes.map((box) => box?.[1])).toEqual([0, 20, 40]);
  });

  it('gives no box to a block whose text is not on the page', () => {
    expect(placed('Nothing of this is there, the ferry least.', printed('The ferry carried tin'))).toEqual([
      undefined,
    ]);
  });

  it('gives a table the box around its cells', () => {
    const words = printed('Item Count', 'Tin 12', 'Zinc 7', 'Signed by Ada');
    expect(placed('| Item | Count |\n|---|---|\n| Tin | 12 |\n| Zinc | 7 |', words)).toEqual([
      [0, 0, 20, 52],
    ]);
  });

  it('uses the boxes of parser blocks if the words have no coordinates', () => {
    const box = { x: 1, y: 2, w: 3, h: 4 };
    const blocks = [{ type: 'paragraph' as const, text: 'The ferry carried tin', markdown: '', box }];
    expect(placeBlocks(splitMarkdown('The *ferry* carried tin'), { words: [], blocks })[0]!.box).toEqual(box);
  });
});
