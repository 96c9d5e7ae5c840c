import { describe, expect, it } from 'vitest';
import type { Rect } from '#src/formats/pdf/geometry.ts';
import { findAlignedTables } from '#src/formats/pdf/tables/aligned-tables.ts';
import { findBandedTables } from '#src/formats/pdf/tables/banded-tables.ts';
import { sortByColumns } from '#src/formats/pdf/text/columns/columns.ts';
import { splitIntoSegments } from '#src/formats/pdf/text/lines.ts';
import type { TextWord } from '#src/formats/pdf/text/words.ts';

const SIZE = 10;

/** Returns words from `x` on, with half the text height per character. `y` is their top. */
function words(x: number, y: number, text: string): TextWord[] {
  let at = x;
  return text.split(' ').map((word) => {
    const x0 = at;
    at += (word.length * SIZE) / 2 + 3;
    const style = { bold: false, italic: false, monospace: false } as TextWord['style'];
    return {
      ...{ x0, y0: y, x1: x0 + (word.length * SIZE) / 2, y1: y + SIZE },
      ...{ text: word, size: SIZE, style, turns: 0, spaced: true },
    } as TextWord;
  });
}

const across = (y: number, x0 = 50, x1 = 450): Rect => ({ x0, y0: y, x1, y1: y });

describe('tables with lines between rows', () => {
  const rows = [
    ...[...words(60, 92, 'Place'), ...words(200, 92, 'Day'), ...words(300, 92, 'Sum')],
    ...[
      ...words(60, 106, 'the old'),
      ...words(60, 118, 'harbour'),
      ...words(200, 112, 'Monday'),
      ...words(300, 112, '17'),
    ],
    ...[...words(60, 136, 'mill'), ...words(200, 136, 'Friday'), ...words(300, 136, '4')],
  ];
  const expected = [
    ['Place', 'Day', 'Sum'],
    ['the old\nharbour', 'Monday', '17'],
    ['mill', 'Friday', '4'],
  ];

  it('keep lines of a cell in one row and the header above the first line', () => {
    const [table, ...more] = findBandedTables([across(104), across(131), across(150)], rows);
    expect(table?.rows).toEqual(expected);
    expect(more).toEqual([]);
  });

  it('can have a last row below the last line and broken lines', () => {
    const pieces = [80, 104, 131].flatMap((y) => [across(y, 50, 180), across(y, 180, 450)]);
    expect(findBandedTables(pieces, rows)[0]?.rows).toEqual(expected);
  });

  it('are not detected if lines separate row groups or differ in length', () => {
    const grouped = [
      ...rows,
      ...[...words(60, 156, 'a'), ...words(200, 156, 'b'), ...words(300, 156, '1')],
      ...[...words(60, 170, 'c'), ...words(200, 170, 'd'), ...words(300, 170, '2')],
    ];
    expect(findBandedTables([across(104), across(131), across(150), across(190)], grouped)).toEqual([]);
    expect(findBandedTables([across(104), across(131, 50, 300), across(150, 90, 450)], rows)).toEqual([]);
  });
});

describe('tables with gaps between rows', () => {
  const at = (y: number, first: string[], second: string[], third: string) => [
    ...first.flatMap((text, line) => words(60, y + line * 11, text)),
    ...second.flatMap((text, line) => words(200, y + line * 11, text)),
    ...words(300, y, third),
  ];
  const options = { aggressiveTables: false, tables: {} };
  const read = (...rows: TextWord[][]) =>
    findAlignedTables(splitIntoSegments(rows.flat()), [], options)[0]?.table.rows;

  it('keep the lines of a cell in one row, including the last row', () => {
    const table = read(
      at(100, ['Place'], ['Day'], 'Sum'),
      at(120, ['the old', 'harbour', 'gate'], ['Monday'], '17'),
      at(162, ['mill'], ['Friday', 'noon'], '4'),
      at(193, ['bridge', 'house'], ['Sunday'], '12'),
    );
    expect(table).toEqual([
      ['Place', 'Day', 'Sum'],
      ['the old\nharbour\ngate', 'Monday', '17'],
      ['mill', 'Friday\nnoon', '4'],
      ['bridge\nhouse', 'Sunday', '12'],
    ]);
  });

  it('keep paired rows of words separate', () => {
    const pair = (y: number) =>
      at(y, ['mill', 'gate'], ['noon', 'night'], 'deep').concat(words(300, y + 11, 'low'));
    expect(read(pair(100), pair(131), pair(162))).toHaveLength(6);
  });

  it('keep the rows of groups separate', () => {
    const table = read(
      at(100, ['mill', 'gate'], ['Friday', 'Monday'], '4'),
      words(300, 111, '5'),
      at(130, ['tower', 'bridge'], ['Sunday', 'Tuesday'], '6'),
      words(300, 141, '7'),
    );
    expect(table).toHaveLength(4);
  });
});

describe('columns of short texts', () => {
  const names = [
    'the old mill house',
    'harbour wall',
    'the stone bridge',
    'gate and tower',
    'the tower house of old',
    'wall of stone',
    'the inn at the gate',
    'market hall',
  ];
  const prose = [
    'a sentence that goes',
    'on over many lines of',
    'one width because the',
    'next word never fits in',
    'what is left of a line',
    'until its paragraph is',
    'ended by its writer in',
    'the middle of a line.',
  ];
  const side = (x: number, texts: string[]) => texts.flatMap((text, at) => words(x, 100 + 14 * at, text));

  it('are read by row if no line ends because it is full', () => {
    const table = splitIntoSegments([...side(60, names), ...side(250, names.toReversed())]);
    expect(sortByColumns(table)).toHaveLength(1);
    const columns = splitIntoSegments([...side(60, prose), ...side(250, prose)]);
    expect(sortByColumns(columns)).toHaveLength(2);
  });
});
