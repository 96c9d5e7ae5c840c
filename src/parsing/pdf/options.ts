import type { ParseParameters } from '#src/parsing/parameters.ts';
import { containsCenter } from './geometry.ts';
import type { PageScan } from './scan.ts';
import type { TextWord } from './words.ts';

/** Points. Below this nobody reads; some producers sign their files at 1 point. */
const SMALLEST_READABLE = 0.9;

/** Which words count. Hidden are those painted invisibly, and white ones with nothing behind them. */
export function wordFilter(
  parameters: ParseParameters,
  { images, backdrops }: PageScan,
): (word: TextWord) => boolean {
  const behind = [...backdrops, ...images.map(({ box }) => box)];
  const isHidden = (word: TextWord) =>
    word.hidden || (word.white && !behind.some((rect) => containsCenter(rect, word)));
  return (word) =>
    (parameters.preserve_very_small_text || word.size >= SMALLEST_READABLE) &&
    !(parameters.remove_hidden_text && isHidden(word)) &&
    !(parameters.skip_diagonal_text && word.turns === undefined);
}
