import { expect, it } from 'vitest';
import { joinIntoLines, splitIntoSegments, toLine } from '#src/formats/pdf/text/lines.ts';
import type { Style } from '#src/formats/pdf/text/runs.ts';
import type { TextWord } from '#src/formats/pdf/text/words.ts';

const style: Style = { bold: false, italic: false, monospace: false, font: '' };

function word(text: string, x0: number, changes: Partial<TextWord> = {}): TextWord {
  const place = { x0, x1: x0 + 5 * text.length, y0: 100, y1: 110, size: 10, turns: 0 };
  const appearance = { style, spaced: true, hyphenated: false, hidden: false, white: false };
  return { ...place, ...appearance, text, ...changes };
}

it('sorts the words of a line by their left edges, in whichever order the file draws them', () => {
  const line = toLine([word('light', 30), word('The', 10), word('house', 60)], 0);
  expect(line.text).toBe('The light house');
});

it('reads words that run from right to left in their order', () => {
  const line = toLine([word('עולם', 10), word('שלום', 40)], 0);
  expect(line).toMatchObject({ text: 'שלום עולם', rtl: true });
});

it('gives a line the size of most letters, and of two equally frequent sizes the larger one', () => {
  expect(toLine([word('long', 10), word('b', 40, { size: 14 })], 0).size).toBe(10);
  expect(toLine([word('ab', 10), word('cd', 40, { size: 14 })], 0).size).toBe(14);
  expect(toLine([word('ab', 10, { size: 9.9 }), word('cd', 40, { size: 10.1 })], 0).size).toBe(10);
});

it('joins the pieces of a row and keeps a row of one piece as it is', () => {
  const segments = splitIntoSegments([
    ...[word('left', 10), word('right', 200)],
    word('below', 10, { y0: 120, y1: 130 }),
  ]);
  expect(segments.map(({ text }) => text)).toEqual(['left', 'right', 'below']);
  const lines = joinIntoLines(segments);
  expect(lines.map(({ text }) => text)).toEqual(['left right', 'below']);
  expect(lines[1]).toBe(segments[2]);
});

it('adds smaller raised words to the row that they touch, and other words to the nearest baseline', () => {
  const rows = splitIntoSegments([
    word('note', 10),
    word('1', 31, { size: 6, y0: 98, y1: 104, spaced: false }),
    word('next', 10, { y0: 112, y1: 122 }),
  ]);
  expect(rows.map(({ text }) => text)).toEqual(['note1', 'next']);
});
