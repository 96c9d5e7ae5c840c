import { describe, expect, it } from 'vitest';
import { findRegions, type SheetPart } from '#src/sheets/regions.ts';

const part = (row: number, column: number, rows: string[][]): SheetPart => ({
  row,
  column,
  rows,
  isText: false,
});
const table = (row: number, column = 0) =>
  part(row, column, [
    ['a', 'b'],
    ['1', '2'],
  ]);
const places = (parts: SheetPart[], sensitivity: 'strong' | 'weak') =>
  findRegions(parts, sensitivity).map(({ row, column, rows }) => [row, column, rows.length]);

describe('regions of a sheet', () => {
  it('are separate with weak merging', () => {
    expect(places([table(0), table(3)], 'weak')).toEqual([
      [0, 0, 2],
      [3, 0, 2],
    ]);
  });

  it('are one with strong merging, if at most two empty rows lie between them', () => {
    expect(places([table(0), table(3), table(7), table(12)], 'strong')).toEqual([
      [0, 0, 9],
      [12, 0, 2],
    ]);
    const [merged] = findRegions([table(0), table(3)], 'strong');
    expect(merged!.rows).toEqual([
      ['a', 'b'],
      ['1', '2'],
      ['', ''],
      ['a', 'b'],
      ['1', '2'],
    ]);
  });

  it('are merged with those in the same columns only, also if tables stand side by side', () => {
    expect(places([table(0), table(0, 5), table(3, 5), table(3, 1)], 'strong')).toEqual([
      [0, 0, 2],
      [0, 5, 5],
      [3, 1, 2],
    ]);
  });

  it('leave the given cells as they are', () => {
    const first = table(0);
    findRegions([first, table(3)], 'strong');
    expect(first.rows).toHaveLength(2);
  });
});
