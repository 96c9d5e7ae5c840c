import type { Shape } from '#src/images/ink-shapes.ts';
import type { ReadWord } from '../table.ts';
import { countLetters, measureConfidence } from './merge.ts';

export type Paragraphs = ReadWord[][][];

/** Confidence below which recognized letters count as noise. */
const NOISE = 0.3;
/** Height in pixels of the rows by which words are indexed. */
const ROW = 32;
/** Maximum number of rows in which a word is indexed. Higher boxes are pictures. */
const MAX_ROWS = 20;

/** Returns the amount of text that was probably read: the number of letters, weighted by their confidence. */
export function measureGain(paragraphs: Paragraphs): number {
  return paragraphs
    .flat(2)
    .reduce((sum, word) => sum + countLetters([word]) * Math.max(0, word.confidence - NOISE), 0);
}

/** Returns the share of letter shapes that lie in a recognized word, from 0 to 1. 1 if there are no shapes. */
export function measureCoverage(paragraphs: Paragraphs, shapes: readonly Shape[]): number {
  if (shapes.length === 0) return 1;
  const rows = new Map<number, ReadWord[]>();
  for (const word of paragraphs.flat(2)) {
    const first = Math.floor(word.y / ROW);
    const last = Math.min(first + MAX_ROWS, Math.floor((word.y + word.h) / ROW));
    for (let row = first; row <= last; row++) {
      const known = rows.get(row);
      if (known) known.push(word);
      else rows.set(row, [word]);
    }
  }
  let covered = 0;
  for (const { x0, y0, x1, y1 } of shapes) {
    const [x, y] = [(x0 + x1) / 2, (y0 + y1) / 2];
    const near = rows.get(Math.floor(y / ROW)) ?? [];
    if (near.some((word) => x >= word.x && x <= word.x + word.w && y >= word.y && y <= word.y + word.h))
      covered += 1;
  }
  return covered / shapes.length;
}

/** Share of words that look like words or numbers, weighted by length, from 0 to 1. */
export function measureWordShare(paragraphs: Paragraphs, knowsWord: (word: string) => boolean): number {
  let [known, all] = [0, 0];
  for (const { text } of paragraphs.flat(2)) {
    const characters = [...text];
    const { length } = characters;
    const isLetter = (character: string) => /[\p{L}\p{N}]/u.test(character);
    const word = characters
      .slice(Math.max(0, characters.findIndex(isLetter)), characters.findLastIndex(isLetter) + 1)
      .join('');
    all += length;
    if (/^[\p{N}.,:/-]+$/u.test(word)) known += length;
    else if (word.length > 1 && (knowsWord(word) || knowsWord(word.toLowerCase()))) known += length;
  }
  return all === 0 ? 0 : known / all;
}

export { measureConfidence };
