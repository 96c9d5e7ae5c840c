import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Rect } from '#src/formats/pdf/geometry.ts';
import { findRuledTables } from '#src/formats/pdf/tables/tables.ts';
import type { TextWord } from '#src/formats/pdf/text/words.ts';
import { runs } from '#test/support/seed.ts';

const style = { bold: false, italic: false, monospace: false, font: 'F' };

/** Returns a word of 10 points with its center at the position. */
function word(text: string, x: number, y: number): TextWord {
  const box = { x0: x - 4, y0: y - 5, x1: x + 4, y1: y + 5 };
  const plain = { size: 10, style, turns: 0, spaced: true, hyphenated: false, hidden: false, white: false };
  return { ...box, ...plain, text };
}

/** Returns a horizontal line of half a point. */
const across = (y: number, x0: number, x1: number): Rect => ({ x0, x1, y0: y - 0.25, y1: y + 0.25 });
const down = (x: number, y0: number, y1: number): Rect => ({ x0: x - 0.25, x1: x + 0.25, y0, y1 });

function grid(xs: number[], ys: number[]): Rect[] {
  const [x0, x1, y0, y1] = [xs[0]!, xs.at(-1)!, ys[0]!, ys.at(-1)!];
  return [...ys.map((y) => across(y, x0, x1)), ...xs.map((x) => down(x, y0, y1))];
}

/** Returns one word in the center of each cell that is not blank. */
function written(xs: number[], ys: number[], rows: string[][]): TextWord[] {
  const middle = (edges: number[], at: number) => (edges[at]! + edges[at + 1]!) / 2;
  return rows.flatMap((row, r) =>
    row.flatMap((text, c) => (text === '' ? [] : [word(text, middle(xs, c), middle(ys, r))])),
  );
}

const read = (rules: Rect[], words: TextWord[]) => findRuledTables(rules, words).map(({ rows }) => rows);
const XS = [50, 150, 250];
const YS = [100, 120, 140];
const FOUR = [
  ['a', 'b'],
  ['c', 'd'],
];
const four = written(XS, YS, FOUR);

describe('table with ruling lines', () => {
  it('returns the written cells without empty rows and columns', () => {
    const cell = fc.constantFrom('', 'one', 'two', '12.50');
    const sizes = fc.array(fc.integer({ min: 20, max: 90 }), { minLength: 2, maxLength: 6 });
    const edges = (first: number, widths: number[]) => {
      const all = [first];
      for (const width of widths) all.push(all.at(-1)! + width);
      return all;
    };
    fc.assert(
      fc.property(sizes, sizes, fc.infiniteStream(cell), fc.nat(), (widths, heights, cells, turn) => {
        const [xs, ys] = [edges(50, widths), edges(100, heights)];
        const rows = heights.map(() => widths.map(() => cells.next().value));
        const full = rows.filter((row) => row.some((text) => text !== ''));
        const columns = widths.map((_, at) => full.some((row) => row[at] !== ''));
        const kept = full.map((row) => row.filter((_, at) => columns[at]));
        const filled = kept.flat().filter((text) => text !== '').length;
        const isTable = kept.length >= 2 && kept[0]!.length >= 2 && filled >= 3 && filled >= kept.length;
        const rules = grid(xs, ys);
        const turned = [...rules.slice(turn % rules.length), ...rules.slice(0, turn % rules.length)];
        expect(read(turned, written(xs, ys, rows))).toEqual(isTable ? [kept] : []);
      }),
      { numRuns: runs(300) },
    );
  });

  it('returns the bounds of the table', () => {
    expect(findRuledTables(grid(XS, YS), four)).toEqual([{ x0: 50, y0: 100, x1: 250, y1: 140, rows: FOUR }]);
  });

  it('excludes text outside the table', () => {
    const beside = [
      word('left', 40, 110),
      word('right', 260, 110),
      word('above', 100, 90),
      word('x', 100, 150),
    ];
    expect(read(grid(XS, YS), [...four, ...beside])).toEqual([FOUR]);
  });

  it('assigns a word on the outer edge to the last cell', () => {
    expect(read(grid(XS, YS), [...four.slice(0, 3), word('d', 250, 140)])).toEqual([FOUR]);
  });

  it('separates words and lines of a cell', () => {
    const words = [...four.slice(1), word('left', 70, 105), word('right', 130, 105), word('below', 70, 117)];
    expect(read(grid(XS, YS), words)).toEqual([
      [
        ['left right\nbelow', 'b'],
        ['c', 'd'],
      ],
    ]);
  });
});

describe('grid lines', () => {
  it('can be doubled and up to three points apart', () => {
    const twice = grid(XS, YS).flatMap(({ x0, y0, x1, y1 }) => {
      const shift = x1 - x0 > y1 - y0 ? { x: 0, y: 2 } : { x: 2, y: 0 };
      return [
        { x0, y0, x1, y1 },
        { x0: x0 + shift.x, y0: y0 + shift.y, x1: x1 + shift.x, y1: y1 + shift.y },
      ];
    });
    const [table] = findRuledTables(twice, four);
    expect(table).toEqual({ x0: 51, y0: 101, x1: 251, y1: 141, rows: FOUR });
  });

  it('ignore short marks that end at them', () => {
    const marks = [down(100, 100, 105), across(130, 50, 55)];
    const box = { x0: 50, y0: 100, x1: 250, y1: 140 };
    expect(findRuledTables([...grid(XS, YS), ...marks], four)).toEqual([{ ...box, rows: FOUR }]);
  });

  it('are separate if more than three points apart', () => {
    const xs = [50, 150, 154, 250];
    expect(read(grid(xs, YS), [...four, word('e', 152, 110)])).toEqual([
      [
        ['a', 'e', 'b'],
        ['c', '', 'd'],
      ],
    ]);
  });

  it.each([
    ['three points apart', 2.5, [FOUR]],
    ['further apart', 3.5, []],
  ])('are joined or not if they end %s', (_, gap, tables) => {
    const rules = [
      ...YS.map((y) => across(y, 50 + gap, 250)),
      ...XS.slice(1).map((x) => down(x, 100, 140)),
      down(50 - 0.25, 100, 140),
    ];
    expect(read(rules, four)).toEqual(tables);
  });

  it('of separate tables form separate tables', () => {
    const [xs, ys] = [
      [300, 400, 500],
      [100, 120, 140],
    ];
    const other = [
      ['e', 'f'],
      ['g', 'h'],
    ];
    const below = written(
      XS,
      [160, 180, 200],
      [
        ['i', 'j'],
        ['k', 'l'],
      ],
    );
    const rules = [...grid(XS, YS), ...grid(xs, ys), ...grid(XS, [160, 180, 200])];
    const found = read(rules.toReversed(), [...four, ...written(xs, ys, other), ...below]);
    expect(found).toHaveLength(3);
    expect(found).toEqual(
      expect.arrayContaining([
        FOUR,
        other,
        [
          ['i', 'j'],
          ['k', 'l'],
        ],
      ]),
    );
  });

  it('need at least two rows and two columns', () => {
    expect(read(grid([50, 250], YS), [...four, word('e', 90, 110)])).toEqual([]);
    expect(read(grid(XS, [100, 140]), four)).toEqual([]);
  });

  it('form no table with more than four thousand cells', () => {
    const edges = (count: number) => Array.from({ length: count + 1 }, (_, at) => 50 + at * 10);
    const sized = (columns: number, rows: number) => {
      const [xs, ys] = [edges(columns), edges(rows)];
      const cells = Array.from({ length: rows }, () => Array.from({ length: columns }, () => 'x'));
      return read(grid(xs, ys), written(xs, ys, cells)).length;
    };
    expect([sized(80, 50), sized(80, 51)]).toEqual([1, 0]);
  });
});

describe('frame with too few cells', () => {
  it.each([
    ['three cells', ['a', 'b', 'c'], 1],
    ['two cells', ['a', '', 'c'], 0],
  ])('%s', (_, [a, b, c], tables) => {
    expect(
      read(
        grid(XS, YS),
        written(XS, YS, [
          [a!, b!],
          [c!, ''],
        ]),
      ),
    ).toHaveLength(tables);
  });

  it('is no table with three words in two cells', () => {
    const words = [word('a', 80, 110), word('b', 120, 110), word('c', 200, 130)];
    expect(read(grid(XS, YS), words)).toEqual([]);
  });

  it('is no table with one filled row', () => {
    const xs = [50, 150, 250, 350];
    expect(
      read(
        grid(xs, YS),
        written(xs, YS, [
          ['a', 'b', 'c'],
          ['', '', ''],
        ]),
      ),
    ).toEqual([]);
  });
});

describe('merged cells', () => {
  const xs = [50, 150, 250, 350];
  const ys = [100, 120, 140, 160];
  const rows = [
    ['a', 'b', 'c'],
    ['d', 'e', 'f'],
    ['g', 'h', 'i'],
  ];
  /** Returns the grid without some line segments, named by the cell right of or below each. */
  function open(walls: [row: number, column: number][], roofs: [row: number, column: number][]): Rect[] {
    const has = (list: [number, number][], row: number, column: number) =>
      list.some(([r, c]) => r === row && c === column);
    const rules: Rect[] = [];
    for (let row = 0; row <= 3; row++) {
      for (let column = 0; column <= 3; column++) {
        if (row < 3 && !has(walls, row, column)) rules.push(down(xs[column]!, ys[row]!, ys[row + 1]!));
        if (column < 3 && !has(roofs, row, column))
          rules.push(across(ys[row]!, xs[column]!, xs[column + 1]!));
      }
    }
    return rules;
  }

  it.each<[string, [number, number][], [number, number][], string[][]]>([
    ['none', [], [], rows],
    ['two columns', [[1, 1]], [], [rows[0]!, ['d e', '', 'f'], rows[2]!]],
    ['the last two columns', [[0, 2]], [], [['a', 'b c', ''], rows[1]!, rows[2]!]],
    [
      'a whole row',
      [
        [2, 1],
        [2, 2],
      ],
      [],
      [rows[0]!, rows[1]!, ['g h i', '', '']],
    ],
    ['two rows', [], [[1, 2]], [['a', 'b', 'c\nf'], ['d', 'e', ''], rows[2]!]],
    [
      'the first column',
      [],
      [
        [1, 0],
        [2, 0],
      ],
      [
        ['a\nd\ng', 'b', 'c'],
        ['', 'e', 'f'],
        ['', 'h', 'i'],
      ],
    ],
    [
      'two rows and columns',
      [
        [1, 2],
        [2, 2],
      ],
      [
        [2, 1],
        [2, 2],
      ],
      [rows[0]!, ['d', 'e f\nh i', ''], ['g', '', '']],
    ],
    // A table without its left or top edge keeps its outer cells.
    [
      'an open left side',
      [
        [0, 0],
        [1, 0],
      ],
      [],
      rows,
    ],
    [
      'an open top',
      [],
      [
        [0, 0],
        [0, 1],
      ],
      rows,
    ],
  ])('%s', (_, walls, roofs, expected) => {
    expect(read(open(walls, roofs), written(xs, ys, rows))).toEqual([expected]);
  });

  it('containing an inner table are read as one cell', () => {
    const inner = grid([60, 90, 120], [104, 110, 116]);
    const words = [word('a', 75, 107), word('b', 105, 107), word('c', 75, 113), word('d', 105, 113)];
    const found = read([...grid(XS, YS), ...inner], [...four.slice(1), ...words]);
    expect(found).toHaveLength(1);
    expect(found[0]![1]).toEqual(['c', 'd']);
  });
});
