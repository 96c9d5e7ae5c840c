import type { LayoutPlan } from '#src/parse/plan.ts';
import { containsCenter, type Rect } from './geometry.ts';
import type { PageScan } from './scan.ts';
import type { TextWord } from './text/words.ts';

/** Points. Below this nobody reads; some producers sign their files at 1 point. */
const SMALLEST_READABLE = 0.9;

/** Returns a test for words and glyphs: whether they lie on the page and are not white on white. */
export function drawnFilter({
  images,
  backdrops,
  frame,
}: PageScan): (part: Rect & { white: boolean }) => boolean {
  const page = { x0: 0, y0: 0, x1: frame.width, y1: frame.height };
  const behind = [...backdrops, ...images.map(({ box }) => box)];
  return (part) =>
    containsCenter(page, part) && !(part.white && !behind.some((rect) => containsCenter(rect, part)));
}

/** Which words count. Hidden are those painted invisibly, and white ones with nothing behind them. */
export function wordFilter(plan: LayoutPlan, { images, backdrops }: PageScan): (word: TextWord) => boolean {
  const behind = [...backdrops, ...images.map(({ box }) => box)];
  const isHidden = (word: TextWord) =>
    word.hidden || (word.white && !behind.some((rect) => containsCenter(rect, word)));
  return (word) =>
    (plan.keepSmallText || word.size >= SMALLEST_READABLE) &&
    !(plan.removeHidden && isHidden(word)) &&
    !(plan.skipDiagonal && word.turns === undefined);
}
