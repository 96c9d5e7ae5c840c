import { expect, it } from 'vitest';
import { column, grid, japanese, paragraph, rotatedText, text } from '#test/fixtures/pdf.ts';
import { readOne } from '../helpers.ts';

/** Beginning of a public-domain story, in columns of twelve characters. */
const STORY = [
  '吾輩は猫である名前はまだ',
  '無いどこで生れたかとんと',
  '見当がつかぬ何でも薄暗い',
  'じめじめした所で',
];

/** Draws columns from right to left in a font for vertical writing. */
const columns = (x: number, y: number, lines: readonly string[], size = 12, pitch = 20) =>
  lines.map((line, index) => column(x - index * pitch, y, line, size)).join('');

/** Draws the columns with each character placed separately in a font for horizontal writing. */
const placed = (x: number, y: number, lines: readonly string[], size = 12, pitch = 20) =>
  lines
    .flatMap((line, index) =>
      [...line].map((letter, row) => japanese(x - index * pitch, y - row * size, letter, size)),
    )
    .join('');

const squeeze = (value: string) => value.replace(/\s+/g, '');

it('reads vertical columns from top to bottom and right to left', async () => {
  const page = await readOne(columns(500, 700, STORY));
  expect(page.text).toBe(STORY.join(''));
  expect(page.blocks).toHaveLength(1);
  expect(page.blocks[0]!.type).toBe('paragraph');
});

it('returns boxes at the painted position of columns and blocks', async () => {
  const page = await readOne(columns(500, 700, STORY));
  const [, x, y, w, h] = page.words.find(([word]) => word === STORY[0])!;
  expect([x, y, w, h].map(Math.round)).toEqual([494, 92, 12, 144]);
  const box = page.blocks[0]!.box!;
  expect([box.x, box.y, box.w, box.h].map(Math.round)).toEqual([434, 92, 72, 144]);
});

it('reads letters placed one below the other', async () => {
  const page = await readOne(placed(500, 700, STORY));
  expect(page.text).toBe(STORY.join(''));
});

it('reads the short end of a column with separately placed letters', async () => {
  const page = await readOne(placed(500, 700, [...STORY.slice(0, 2), '猫']));
  expect(page.text).toBe(`${STORY[0]}${STORY[1]}猫`);
});

it('reads tiers of columns in order', async () => {
  const upper = Array.from({ length: 8 }, () => STORY[0]!);
  const lower = Array.from({ length: 8 }, () => STORY[1]!);
  const page = await readOne(columns(500, 700, upper) + columns(500, 500, lower));
  expect(squeeze(page.text)).toBe(upper.join('') + lower.join(''));
});

it('separates a horizontal heading above and a page number below the columns', async () => {
  const page = await readOne(
    columns(500, 640, STORY) + japanese(300, 700, '猫の話', 24) + text(300, 300, '12', 12),
  );
  expect(page.blocks.map(({ text }) => text)).toEqual(['猫の話', STORY.join(''), '12']);
  expect(page.blocks[0]!.type).toBe('heading');
});

it('treats a column with larger letters as a heading', async () => {
  const page = await readOne(column(540, 700, '吾輩の話', 24) + columns(500, 700, STORY));
  expect(page.markdown).toBe(`# 吾輩の話\n\n${STORY.join('')}`);
});

it('keeps horizontal digits and rotated words in their column', async () => {
  const turned = rotatedText(497, 700 - 72, 'London', -90, 12);
  const page = await readOne(
    column(500, 700, '昭和') +
      text(493.5, 700 - 34, '12', 12) +
      column(500, 700 - 36, '年三月') +
      turned +
      column(500, 700 - 72 - 42, 'で書いた') +
      columns(480, 700, STORY),
  );
  expect(squeeze(page.text)).toBe(`昭和12年三月Londonで書いた${STORY.join('')}`);
});

it('separates a vertical caption from horizontal prose', async () => {
  const prose = Array.from({ length: 12 }, (_, row) => `A line of prose that runs across the page ${row}`);
  const page = await readOne(paragraph(72, 700, prose) + column(500, 700, '縦書き'));
  expect(page.blocks.map(({ text }) => text)).toEqual([prose.join(' '), '縦書き']);
});

it('leaves axis labels, axis numbers and rotated table headers unchanged', async () => {
  const axis = ['5', '4', '3', '2', '1'].map((figure, row) => text(100, 700 - row * 12, figure, 12)).join('');
  const page = await readOne(rotatedText(80, 600, 'Tonnes a year', 90) + axis);
  expect(page.words.map(([word]) => word)).toContain('5');
  expect(page.words.map(([word]) => word)).not.toContain('54321');
  expect(page.text).toContain('Tonnes a year');
  const heads = ['Wheat', 'Barley', 'Maize'].map((head, at) => rotatedText(110 + at * 40, 600, head, 90));
  const table = await readOne(heads.join('') + text(60, 580, 'Spring', 12));
  for (const head of ['Wheat', 'Barley', 'Maize']) expect(table.text).toContain(head);
});

it('places horizontal digits in their column even if they come last in the file', async () => {
  const page = await readOne(
    column(500, 700, '昭和') +
      column(500, 700 - 36, '年三月') +
      columns(480, 700, STORY) +
      text(493.5, 700 - 34, '12', 12),
  );
  expect(squeeze(page.text)).toBe(`昭和12年三月${STORY.join('')}`);
});

it('does not join letters whose spacing equals the line spacing', async () => {
  const days = ['月', '火', '水', '木'];
  const page = await readOne(days.map((day, row) => japanese(96, 685 - row * 20, day)).join(''));
  expect(page.words.map(([word]) => word)).toEqual(days);
  expect(page.words[0]![4]).toBeLessThan(20);
});

it('keeps table rows of single letters', async () => {
  const days = ['月', '火', '水', '木'];
  const page = await readOne(
    grid([90, 120, 200], [700 - 80, 700 - 60, 700 - 40, 700 - 20, 700]) +
      days
        .map((day, row) => japanese(96, 685 - row * 20, day) + text(130, 685 - row * 20, `${row}`))
        .join(''),
  );
  expect(page.blocks.map(({ type }) => type)).toEqual(['table']);
  expect(page.markdown).toContain('| 火');
});
