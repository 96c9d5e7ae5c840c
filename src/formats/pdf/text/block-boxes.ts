import type { Block, Word } from '#src/documents/document.ts';
import type { LayoutPlan } from '#src/parse/plan.ts';
import { type Rect, toBox, union } from '../geometry.ts';
import type { Draft } from './blocks.ts';
import type { Line } from './lines.ts';
import type { TextWord } from './words.ts';

/** Returns the bounding boxes of a block and its lines, as far as the plan asks for them. */
export function boxesOf(draft: Draft, plan: LayoutPlan): Pick<Block, 'box' | 'lines'> {
  if (!plan.boxes) return {};
  const lines = draft.lines ?? [];
  const isTight = plan.preciseBoxes && lines.length > 0;
  const box = toBox(isTight ? union(lines.map(lineBox)) : draft);
  if (!plan.lineBoxes || lines.length === 0) return { box };
  return { box, lines: lines.map(toFlat) };
}

/** A word's ink where it was measured; letters below each other are joined without it. */
export const wordBox = (word: TextWord): Rect => (word.vertical ? word : (word.ink ?? word));

/** Ink is measured on the page as it is shown, so it holds for lines of turned text as well. */
const lineBox = (line: Line): Rect =>
  line.words.every((word) => word.ink && !word.vertical) ? union(line.words.map(wordBox)) : line;

function toFlat(line: Line): Word {
  const { x, y, w, h } = toBox(lineBox(line));
  return [line.text, x, y, w, h];
}
