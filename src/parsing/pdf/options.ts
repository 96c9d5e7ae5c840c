import type { ParseParameters } from '#src/parsing/parameters.ts';
import type { Rect } from './geometry.ts';
import { containsCenter } from './geometry.ts';
import type { PageScan } from './scan.ts';
import type { TextWord } from './words.ts';

/** The page's part to read, from the fractions that are cut off each side. */
export function readingArea(parameters: ParseParameters, width: number, height: number): Rect {
  const parts = (parameters.bounding_box ?? '').split(',').map((part) => Number.parseFloat(part));
  const [top = 0, right = 0, bottom = 0, left = 0] =
    parts.length === 4 && parts.every(Number.isFinite) ? parts : [];
  const cut = (side: number | null | undefined, fallback: number) =>
    Math.min(1, Math.max(0, side ?? fallback));
  return {
    x0: width * cut(parameters.bbox_left, left),
    y0: height * cut(parameters.bbox_top, top),
    x1: width * (1 - cut(parameters.bbox_right, right)),
    y1: height * (1 - cut(parameters.bbox_bottom, bottom)),
  };
}

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
