import { union } from '../geometry.ts';
import type { BlockContext, Draft } from './blocks.ts';
import { joinLines } from './blocks.ts';
import { type Line, linesOf, segmentsOf } from './lines.ts';
import type { TextWord } from './words.ts';

/** Lines that are further apart than this many letter heights are of two paragraphs. */
const PARAGRAPH_GAP = 0.8;

/** The page's words line by line and from top to bottom: no columns, tables, headings or margins are looked for. */
export function plainText(words: readonly TextWord[], context: BlockContext): Draft[] {
  const paragraphs: Line[][] = [];
  for (const line of linesOf(segmentsOf(words))) {
    const last = paragraphs.at(-1);
    const above = last?.at(-1);
    if (last && above && line.y0 - above.y1 <= PARAGRAPH_GAP * line.size) last.push(line);
    else paragraphs.push([line]);
  }
  return paragraphs.map((lines) => {
    const text = joinLines(lines, context);
    return { ...union(lines), type: 'paragraph', text, markdown: text };
  });
}
