import { describe, expect, it } from 'vitest';
import { alignLine } from '#src/formats/pdf/text/recognized-layout.ts';
import { isColumnsOfProse } from '#src/parse-file/recognized-blocks.ts';

const word = (text: string, y0: number, y1: number) => ({ text, x0: 0, x1: 50, y0, y1 });
const align = (...words: ReturnType<typeof word>[]) => alignLine(words).map(({ y0, y1 }) => [y0, y1]);

describe('alignLine', () => {
  it('gives words of usual letters the same box', () => {
    expect(align(word('no', 3, 9), word('Boy', 0, 10), word('pay', 3, 11))).toEqual([
      [1, 11],
      [1, 11],
      [1, 11],
    ]);
  });

  it('keeps the height of a line that is much larger or smaller', () => {
    expect(align(word('Title', 0, 20), word('Page', 0, 20))[0]).toEqual([0, 20]);
    expect(align(word('note', 0, 4))).toEqual([[0, 4]]);
  });

  it('keeps the box of a word that is much higher than the line', () => {
    expect(align(word('a', 10, 18), word('b', 10, 18), word('c', 10, 18), word('|', -6, 34))[3]).toEqual([
      -6, 34,
    ]);
  });
});

describe('isColumnsOfProse', () => {
  const buildTable = (text: string) => ({
    ...{ x0: 0, y0: 0, x1: 100, y1: 100 },
    rows: Array.from({ length: 6 }, () => [text, text]),
  });

  it('measures Chinese letters as wide as two Latin letters', () => {
    expect(isColumnsOfProse(buildTable('场子设在村边低洼处一块地里'))).toBe(true);
    expect(isColumnsOfProse(buildTable('thirteen char'))).toBe(false);
  });
});
