import { median } from '../geometry.ts';
import type { TextWord } from './words.ts';

/** Minimum number of words of a text layer whose sizes are worth evening out. */
const MIN_WORDS = 20;
const MIN_HIDDEN_SHARE = 0.8;
/** Share of the font size by which the box of a word reaches below its baseline. */
const DESCENT = 0.25;
/** Height of a word's box in font sizes. */
const HEIGHT = 1.05;
/** Maximum distance of baselines in one row, in usual font sizes of the page. */
const SAME_ROW = 0.4;
/** Rows whose size differs by less than this factor from the usual size have the usual size. */
const SAME_SIZE = 1.33;

/**
 * Evens out the font sizes in the invisible text layer of a scanned page. Recognition programs choose a size
 * for each word by the height of its letters, so words of one line differ although they are printed in one size.
 * Returns the words unchanged if most of them are visible.
 */
export function levelScanLayer(words: TextWord[]): TextWord[] {
  const hidden = words.filter((word) => word.hidden && word.turns === 0 && !word.vertical);
  if (hidden.length < MIN_WORDS || hidden.length < MIN_HIDDEN_SHARE * words.length) return words;
  const usual = median(hidden.map(({ size }) => size));
  if (!(usual > 0)) return words;
  const baselines = new Map(hidden.map((word) => [word, word.y1 - DESCENT * word.size]));
  const sorted = hidden.toSorted((a, b) => baselines.get(a)! - baselines.get(b)!);
  let row: TextWord[] = [];
  for (const [at, word] of sorted.entries()) {
    row.push(word);
    const next = sorted[at + 1];
    if (next && baselines.get(next)! - baselines.get(word)! < SAME_ROW * usual) continue;
    levelRow(row, usual, baselines);
    row = [];
  }
  return words;
}

function levelRow(row: readonly TextWord[], usual: number, baselines: ReadonlyMap<TextWord, number>): void {
  const own = median(row.map(({ size }) => size));
  const isUsual = own < usual * SAME_SIZE && own * SAME_SIZE > usual;
  const size = isUsual ? usual : own;
  for (const word of row) {
    word.size = size;
    word.y1 = baselines.get(word)! + DESCENT * size;
    word.y0 = word.y1 - HEIGHT * size;
  }
}
