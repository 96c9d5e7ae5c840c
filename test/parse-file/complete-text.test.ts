import { expect, it } from 'vitest';
import type { Box, EncodedImage, Page } from '#src/documents/document.ts';
import { completePage } from '#src/parse-file/complete-text.ts';

const base = {
  index: 0,
  width: 200,
  height: 100,
  text: '',
  markdown: '',
  blocks: [],
  words: [],
} as unknown as Page;
const image = { width: 200, height: 100 } as EncodedImage;
const recognition = {
  format: 'plain' as const,
  text: 'above below',
  words: [
    { text: 'above', box: { x: 10, y: 10, w: 30, h: 10 } },
    { text: 'below', box: { x: 10, y: 80, w: 30, h: 10 } },
  ],
};
const complete = (areas: Box[]) => completePage(base, areas, image, recognition, []).text;

it('adds only the words in areas whose characters have no Unicode value', () => {
  expect(complete([{ x: 10, y: 80, w: 30, h: 10 }])).toBe('below');
});

it('limits an area of excessive height to the page', () => {
  expect(complete([{ x: 10, y: -1e12, w: 30, h: 2e12 }])).toBe('above\n\nbelow');
});

it('adds every word if more areas are given than a page can have', () => {
  const tall = Array.from({ length: 200_000 }, () => ({ x: 190, y: 0, w: 5, h: 100 }));
  expect(complete(tall)).toBe('above\n\nbelow');
});
