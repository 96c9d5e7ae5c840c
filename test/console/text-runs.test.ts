import { expect, it } from 'vitest';
import { buildTextRuns, MAX_RUNS, type PageWord } from '../../console/src/ui/text-layer/text-runs.ts';

const word = (text: string, x: number, y = 100, w = 40): PageWord => ({ text, x, y, w, h: 10 });

const show = (words: PageWord[]) => buildTextRuns(words).map(({ text, after }) => text + after);

it('joins the words of a line, and ends each line with a line break', () => {
  expect(show([word('The', 10), word('quay', 53), word('is', 96), word('long.', 10, 115)])).toEqual([
    'The quay is\n',
    'long.\n',
  ]);
  expect(buildTextRuns([word('The', 10), word('quay', 53)])).toMatchObject([{ x: 10, y: 100, w: 83, h: 10 }]);
});

it('keeps columns of a line apart, and joins words without a gap', () => {
  expect(show([word('left', 10), word('right', 300)])).toEqual(['left ', 'right\n']);
  expect(show([word('港', 10), word('口', 50)])).toEqual(['港口\n']);
});

it('does not join words that are printed over each other', () => {
  expect(show([word('dark', 10), word('dark', 12), word('sea', 55)])).toEqual(['dark ', 'dark sea\n']);
});

it('joins words of right-to-left scripts in their own order', () => {
  expect(show([word('وصلت', 200), word('السفينة', 157)])).toEqual(['وصلت السفينة\n']);
  expect(buildTextRuns([word('وصلت', 200), word('السفينة', 157)])).toMatchObject([{ x: 157, w: 83 }]);
});

it('joins words of different heights on one line', () => {
  expect(show([word('Large', 10), { ...word('small', 53), y: 102, h: 7 }])).toEqual(['Large small\n']);
});

it('leaves out words without an area', () => {
  expect(show([word('', 10), { ...word('a', 10), w: 0 }, { ...word('b', 10), h: Number.NaN }])).toEqual([]);
});

it('bounds the runs and the characters of a page', () => {
  const scattered = Array.from({ length: 20_000 }, (_, n) =>
    word(`w${n}`, (n % 20) * 100, 20 * Math.floor(n / 20)),
  );
  expect(buildTextRuns(scattered)).toHaveLength(MAX_RUNS);
  expect(show([word('a'.repeat(150_000), 10), word('b'.repeat(150_000), 53)])).toEqual([
    `${'a'.repeat(150_000)}\n`,
  ]);
  // A page of 20,000 words in lines keeps all words.
  const lines = Array.from({ length: 20_000 }, (_, n) =>
    word(`w${n}`, (n % 20) * 43, 12 * Math.floor(n / 20)),
  );
  expect(buildTextRuns(lines)).toHaveLength(1_000);
});
