import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sortByColumns } from '#src/formats/pdf/text/columns/columns.ts';
import { isNonText, type NonTextBlock, type Piece } from '#src/formats/pdf/text/columns/pieces.ts';
import type { Line } from '#src/formats/pdf/text/lines.ts';
import { runs } from '#test/support/seed.ts';

const PROSE = 'some forty letters of prose in this line ';

/** Returns a line of 10 points. `end` is its right edge. */
function line(name: string, x0: number, y0: number, end: number, more: Partial<Line> = {}): Line {
  const text = `${name} ${PROSE}`;
  return { x0, y0, x1: end, y1: y0 + 10, words: [], size: 10, text, rtl: false, row: 0, ...more };
}

const figure = (x0: number, y0: number, x1: number, y1: number): NonTextBlock => ({
  x0,
  y0,
  x1,
  y1,
  isNonTextBlock: true,
});

/** Returns lines 12 points apart with equal widths unless `ends` is set. */
function column(name: string, x0: number, x1: number, y: number, count: number, more: Partial<Line> = {}) {
  return Array.from({ length: count }, (_, at) => line(`${name}${at}`, x0, y + at * 12, x1, more));
}

const getPieceName = (piece: Piece) =>
  isNonText(piece) ? `figure at ${piece.x0},${piece.y0}` : piece.text.split(' ')[0]!;
const listPieceNames = (pieces: Piece[]) => pieces.map(getPieceName);
/** Returns the segments as names of their pieces. */
const read = (pieces: Piece[]) => sortByColumns(pieces).map(listPieceNames);
/** Sorts pieces row by row, as on the page. */
const across = (pieces: Piece[]) => pieces.toSorted((a, b) => a.y0 - b.y0 || a.x0 - b.x0);

/** Asserts that the pieces form one segment in their original order. */
const expectUncut = (pieces: Piece[]) => expect(read(pieces)).toEqual([listPieceNames(pieces)]);

describe('two columns', () => {
  const left = column('l', 50, 290, 100, 20);
  const right = column('r', 310, 550, 100, 20);

  it('are read one after the other between full-width lines', () => {
    const head = line('head', 50, 60, 550);
    const middle = line('middle', 60, 360, 540);
    const [below, beside] = [column('b', 50, 290, 400, 8), column('c', 310, 550, 400, 8)];
    const foot = line('foot', 50, 600, 550);
    const all = across([head, ...left, ...right, middle, ...below, ...beside, foot]);
    expect(read(all)).toEqual([
      ['head'],
      listPieceNames(left),
      listPieceNames(right),
      ['middle'],
      listPieceNames(below),
      listPieceNames(beside),
      ['foot'],
    ]);
  });

  it('are read from right to left if most text is right-to-left', () => {
    const rtl = (pieces: Line[]) => pieces.map((piece) => ({ ...piece, rtl: true }));
    expect(read(across([...rtl(left), ...rtl(right)]))).toEqual([
      listPieceNames(right),
      listPieceNames(left),
    ]);
    expect(read(across([...left, ...rtl(right)]))).toEqual([listPieceNames(left), listPieceNames(right)]);
    expect(read(across([...left, ...rtl(right), figure(310, 350, 550, 500)]))[0]).toEqual(
      listPieceNames(left),
    );
  });

  it('are detected even if a few lines reach into the gutter', () => {
    // Two of twenty lines on each side.
    const overfull = (at: number) => at === 2 || at === 17;
    const wide = left.map((piece, at) => ({ ...piece, x1: overfull(at) ? 308 : 290 }));
    const early = right.map((piece, at) => ({ ...piece, x0: overfull(at) ? 309 : 318 }));
    expect(read(across([...wide, ...early]))).toEqual([listPieceNames(wide), listPieceNames(early)]);
  });

  it('are not detected if many lines reach into the gutter', () => {
    const often = left.map((piece, at) => ({ ...piece, x1: at % 3 === 0 ? 306 : 290 }));
    expectUncut(across([...often, ...right]));
  });

  it('are detected by an edge that their lines share', () => {
    const ragged = right.map((piece, at) => ({ ...piece, x0: 312 + at * 9 }));
    const even = left.map((piece) => ({ ...piece, x1: 300 }));
    expect(read(across([...even, ...ragged]))).toEqual([listPieceNames(even), listPieceNames(ragged)]);
    const uneven = left.map((piece, at) => ({ ...piece, x0: 50 + at * 4, x1: 180 + at * 6 }));
    expect(read(across([...uneven, ...right]))).toEqual([listPieceNames(uneven), listPieceNames(right)]);
    // Two lines can share an edge by chance, but three do not.
    for (const [shared, count] of [
      [2, 1],
      [3, 2],
    ] as const) {
      const chance = ragged.map((piece, at) => (at < shared ? { ...piece, x0: 310 } : piece));
      const apart = uneven.map((piece) => ({
        ...piece,
        x1: Math.min(piece.x1, 290 - (piece.y0 - 100) / 2.4),
      }));
      expect(read(across([...apart, ...chance])), `${shared}`).toHaveLength(count);
    }
  });

  it('are detected by a shared edge at any position', () => {
    for (let shift = 0; shift < 3; shift += 0.25) {
      const ragged = right.map((piece, at) => ({ ...piece, x0: 320 + at * 9 }));
      const even = left.map((piece) => ({ ...piece, x1: 300 + shift }));
      expect(read(across([...even, ...ragged])), `ends at ${300 + shift}`).toHaveLength(2);
      const uneven = left.map((piece, at) => ({ ...piece, x0: 50 + at * 4, x1: 170 + at * 6 }));
      const begin = right.map((piece) => ({ ...piece, x0: 309 + shift }));
      expect(read(across([...uneven, ...begin])), `begins at ${309 + shift}`).toHaveLength(2);
    }
  });

  it.each([
    ['a gutter narrower than eight tenths of a letter', column('r', 297, 550, 100, 20), 1],
    ['a gutter as wide as that', column('r', 298, 550, 100, 20), 2],
    ['a column of two lines', column('r', 310, 550, 150, 2), 1],
    ['three lines beside three', column('r', 310, 550, 100, 3), 2, 3],
    ['twelve letters', column('r', 310, 550, 100, 20, { text: 'r twelve let' }), 2],
    ['eleven letters', column('r', 310, 550, 100, 20, { text: 'r eleven le' }), 1],
    ['a column of three lines', column('r', 310, 550, 150, 3), 2],
    ['one that begins where the other ends', column('r', 310, 550, 345, 20), 1],
    ['one beside a fifth of the other', column('r', 310, 550, 292, 20), 1],
    ['one beside a third of the other', column('r', 310, 550, 256, 20), 2],
    ['short bits', column('r', 310, 550, 100, 20, { text: '12.50 EUR' }), 1],
    ['narrow bits', column('r', 310, 350, 100, 20), 1],
    ['a column that is narrow but wide enough', column('r', 310, 360, 100, 20), 2],
  ] as [string, Line[], number, number?][])('%s', (_, other, count, lines = 20) => {
    const pieces = across([...left.slice(0, lines), ...other]);
    if (count === 1) expectUncut(pieces);
    else expect(read(pieces)).toHaveLength(count);
  });
});

it.each([1, 2, 3, 4])('reads %i newspaper columns beside the first', (more) => {
  const columns = Array.from({ length: more + 1 }, (_, at) =>
    column('abcde'[at]!, 40 + at * 106, 134 + at * 106, 100, 12),
  );
  expect(read(across(columns.flat()))).toEqual(columns.map(listPieceNames));
});

it('tries the edges shared by most lines', () => {
  const left = column('l', 50, 290, 100, 81).map((piece, at) => ({ ...piece, x1: 150 + (at % 27) * 5 }));
  const right = column('r', 310, 550, 100 + 27 * 12, 50);
  expect(read(across([...left, ...right]))).toEqual([listPieceNames(left), listPieceNames(right)]);
});

it.each([
  [10, 3],
  [20, 1],
])('reads columns below %i full-width lines as %i segments', (wide, count) => {
  const head = column('h', 50, 550, 100, wide);
  const [left, right] = [column('l', 50, 290, 400, 6), column('r', 310, 550, 400, 6)];
  const pieces = across([...head, ...left, ...right]);
  if (count === 1) expectUncut(pieces);
  else expect(read(pieces)).toHaveLength(count);
});

describe('figures', () => {
  const right = column('r', 310, 550, 100, 20);

  it('form a column of their figures alone', () => {
    const figures = [0, 1, 2].map((at) => figure(50, 100 + at * 80, 290, 170 + at * 80));
    expect(read(across([...figures, ...right]))).toEqual([listPieceNames(figures), listPieceNames(right)]);
  });

  it('of icon size at the margin do not form a column', () => {
    const icons = [0, 1, 2, 3].map((at) => figure(50, 100 + at * 60, 80, 130 + at * 60));
    expectUncut(across([...icons, ...column('r', 100, 550, 100, 20)]));
    const opposite = [0, 1, 2, 3].map((at) => figure(520, 100 + at * 60, 550, 130 + at * 60));
    expectUncut(across([...opposite, ...column('l', 50, 500, 100, 20)]));
  });

  it('with labels do not prevent prose columns', () => {
    const prose = column('l', 50, 290, 100, 20);
    const labels = (count: number) =>
      Array.from({ length: count }, (_, at) =>
        line(`n${at}`, 310 + (at % 4) * 30, 100 + at * 5, 330 + (at % 4) * 30, { text: `n${at} label` }),
      );
    const captioned = (lines: number, count: number) =>
      across([...prose, ...labels(count), ...column('r', 310, 550, 280, lines)]);
    expect(read(captioned(10, 20))).toHaveLength(2);
    // Too few long lines, or most letters belong to labels.
    expect(read(captioned(5, 20))).toHaveLength(1);
    expect(read(captioned(6, 50))).toHaveLength(1);
  });

  it.each([
    ['24 letters and three tenths of the width', 24, 150, 3],
    ['23 letters', 23, 150, 1],
    ['less than three tenths of the width', 24, 149, 1],
  ])('keep a column whose long lines have %s', (_, letters, width, count) => {
    const labels = Array.from({ length: 15 }, (_each, at) =>
      line(`n${at}`, 310 + (at % 4) * 30, 100 + at * 5, 330 + (at % 4) * 30, { text: `n${at}` }),
    );
    const beside = column('r', 310, 310 + width, 280, 10, { text: 'r'.padEnd(letters, 'x') });
    const pieces = [line('head', 50, 60, 550), ...column('l', 50, 290, 100, 20), ...labels, ...beside];
    expect(read(across(pieces))).toHaveLength(count);
  });

  it('keep their position between columns', () => {
    const left = column('l', 50, 290, 100, 8);
    const beside = column('r', 310, 550, 100, 8);
    const wide = figure(50, 210, 550, 300);
    const [below, other] = [column('b', 50, 290, 320, 8), column('c', 310, 550, 320, 8)];
    expect(read(across([...left, ...beside, wide, ...below, ...other]))).toEqual([
      listPieceNames(left),
      listPieceNames(beside),
      [getPieceName(wide)],
      listPieceNames(below),
      listPieceNames(other),
    ]);
  });
});

describe('short text', () => {
  const left = column('l', 50, 290, 100, 10);
  const right = column('r', 310, 550, 100, 10);
  const wide = line('wide', 50, 240, 550);

  it('below columns is read as columns', () => {
    const [tail, other] = [column('t', 50, 290, 270, 4), column('u', 310, 550, 270, 1)];
    expect(read(across([...left, ...right, wide, ...tail, ...other])).flat()).toEqual(
      listPieceNames([...left, ...right, wide, ...tail, ...other]),
    );
    const [short, long] = [column('t', 50, 290, 270, 2), column('u', 310, 550, 270, 4)];
    expect(read(across([...left, ...right, wide, ...short, ...long])).flat()).toEqual(
      listPieceNames([...left, ...right, wide, ...short, ...long]),
    );
  });

  it('at the top is read across, like a letterhead', () => {
    const sender = [line('sender', 50, 20, 200), line('date', 400, 20, 550)];
    const second = [line('street', 50, 32, 200), line('place', 400, 32, 550)];
    const title = line('title', 50, 60, 550);
    const order = read(across([...sender, ...second, title, ...left, ...right]));
    expect(order.slice(1)).toEqual([listPieceNames(left), listPieceNames(right)]);
    expect(order[0]).toHaveLength(5);
  });

  it('on one side is read as one segment', () => {
    for (const count of [1, 2]) {
      const tail = column('t', 50, 290, 270, count);
      const order = [listPieceNames(left), listPieceNames(right), ['wide', ...listPieceNames(tail)]];
      expect(read(across([...left, ...right, wide, ...tail]))).toEqual(order);
    }
  });

  it('of five lines forms no columns', () => {
    const few = [...column('l', 50, 290, 100, 3), ...column('r', 310, 550, 100, 2)];
    expect(read(across(few))).toEqual([listPieceNames(across(few))]);
    expect(read([])).toEqual([[]]);
  });
});

it('keeps every line once and never splits a column', () => {
  const layout = fc.record({
    lines: fc.tuple(fc.integer({ min: 3, max: 30 }), fc.integer({ min: 3, max: 30 })),
    gutter: fc.integer({ min: 10, max: 60 }),
    middle: fc.integer({ min: 200, max: 400 }),
    heading: fc.boolean(),
    foot: fc.boolean(),
    shuffle: fc.infiniteStream(fc.nat()),
  });
  fc.assert(
    fc.property(layout, ({ lines: [l, r], gutter, middle, heading, foot, shuffle }) => {
      const left = column('l', 50, middle, 100, l);
      const right = column('r', middle + gutter, 550, 100, r);
      const head = heading ? [line('head', 50, 70, 550)] : [];
      const end = foot ? [line('foot', 50, 100 + 12 * Math.max(l, r), 550)] : [];
      const expected = [head, left, right, end].filter((run) => run.length > 0).map(listPieceNames);
      const drawn = [...head, ...left, ...right, ...end].map((piece) => ({
        piece,
        at: shuffle.next().value,
      }));
      const pieces = drawn.toSorted((a, b) => a.at - b.at).map(({ piece }) => piece);
      expect(read(pieces)).toEqual(expected);
    }),
    { numRuns: runs(200) },
  );
});

describe('numbered cards', () => {
  const card = (number: string, x: number, y: number) => {
    const title = line(`${number}.`, x, y, x + 120);
    return [title, ...column(`c${number}-`, x, x + 240, y + 20, 4)];
  };
  /** Returns four cards in two columns. */
  const cards = (numbers: readonly string[], shift = 0) =>
    numbers.flatMap((number, at) =>
      card(number, at % 2 === 0 ? 50 : 310, 100 + Math.floor(at / 2) * 100 + (at % 2) * shift),
    );
  const listTitles = (pieces: Piece[]) =>
    read(across(pieces))
      .flat()
      .filter((name) => name.endsWith('.'));

  it('are read along the rows if their numbers run along the rows', () => {
    const all = cards(['1', '2', '3', '4']);
    expect(read(across(all)).flat()).toEqual(listPieceNames(all));
    expect(listTitles(cards(['7', '8', '9']))).toEqual(['7.', '8.', '9.']);
  });

  it('are read down the columns if their numbers run down the columns, or along no rows', () => {
    expect(listTitles(cards(['1', '3', '2', '4']))).toEqual(['1.', '2.', '3.', '4.']);
    expect(listTitles(cards(['1', '2', '3', '5']))).toEqual(['1.', '3.', '2.', '5.']);
    expect(listTitles(cards(['1', '2', '4', '5']))).toEqual(['1.', '4.', '2.', '5.']);
  });

  it('are read down the columns if they do not stand side by side', () => {
    expect(listTitles(cards(['1', '2', '3', '4'], 6))).toEqual(['1.', '3.', '2.', '4.']);
    expect(listTitles(cards(['1', '2', '3', '4'], 5))).toEqual(['1.', '2.', '3.', '4.']);
  });

  it('are at least three', () => {
    const more = column('r', 310, 550, 220, 4);
    expect(listTitles([...cards(['1', '2']), ...more, ...column('l', 50, 290, 220, 4)])).toEqual([
      '1.',
      '2.',
    ]);
  });
});

describe('a narrow sidebar', () => {
  const prose = column('p', 120, 550, 100, 20);
  /** Returns lines that are narrower than a seventh of the page. */
  const sidebar = (pitch: number, more: Partial<Line> = {}) =>
    Array.from({ length: 12 }, (_, at) =>
      line(`s${at}`, 50, 102 + at * pitch, 105, { text: `s${at} some words`, ...more }),
    );

  it('is read by itself if its lines have their own distance', () => {
    const side = sidebar(14.3);
    expect(read(across([...side, ...prose]))).toEqual([listPieceNames(side), listPieceNames(prose)]);
  });

  it('may be Chinese', () => {
    const side = sidebar(14.3).map((each, at) => ({ ...each, text: `s${at} 海港的灯塔` }));
    expect(read(across([...side, ...prose]))).toHaveLength(2);
  });

  it('has several words in a line', () =>
    expectUncut(across([...sidebar(14.3, { text: 's0 label' }), ...prose])));

  it('has no lines at the heights of the lines beside it', () =>
    expectUncut(
      across([...sidebar(12, {}).map((each) => ({ ...each, y0: each.y0 - 2, y1: each.y1 - 2 })), ...prose]),
    ));

  it('stands beside full lines', () => {
    const ragged = prose.map((each, at) => ({ ...each, x1: at % 2 === 0 ? 300 : 550 }));
    expectUncut(across([...sidebar(14.3), ...ragged]));
  });

  it('has one line below the other', () => expectUncut(across([...sidebar(7), ...prose])));

  it('has a common edge', () =>
    expectUncut(
      across([
        ...sidebar(14.3).map((each, at) => ({ ...each, x0: 10 + (at % 4) * 15, x1: 40 + (at % 4) * 15 })),
        ...prose,
      ]),
    ));
});
