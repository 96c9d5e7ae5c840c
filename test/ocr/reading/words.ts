import type { ReadWord } from '#ocr/table.ts';

/** Creates a word with letters of 10 by 10 pixels. */
export const word = (text: string, x: number, y: number, confidence = 0.9): ReadWord => ({
  text,
  x,
  y,
  w: text.length * 10,
  h: 10,
  confidence,
});

/** Creates a line from words with gaps of 10 pixels. */
export function line(text: string, x: number, y: number, confidence = 0.9): ReadWord[] {
  let at = x;
  return text.split(' ').map((each) => {
    const placed = word(each, at, y, confidence);
    at += placed.w + 10;
    return placed;
  });
}

/** Returns the lines of paragraphs as texts. */
export const toLines = (paragraphs: readonly (readonly (readonly ReadWord[])[])[]): string[] =>
  paragraphs.flat().map((words) => words.map(({ text }) => text).join(' '));
