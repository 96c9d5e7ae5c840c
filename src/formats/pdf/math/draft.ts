import type { BlockContext, Draft } from '../text/blocks.ts';
import { joinLines } from '../text/join-lines.ts';
import { joinIntoLines, splitIntoSegments } from '../text/lines.ts';
import type { Formula } from './formulas.ts';

/** Converts a formula to a block. Its text keeps the characters as printed, and its Markdown is LaTeX. */
export function toFormulaDraft(formula: Formula, context: BlockContext): Draft {
  const { x0, y0, x1, y1, words } = formula;
  const lines = joinIntoLines(splitIntoSegments(words));
  const markdown = formula.lines.map((line) => `$$${line}$$`).join('\n\n');
  return {
    x0,
    y0,
    x1,
    y1,
    type: 'paragraph',
    lines,
    text: joinLines(lines, context.vocabulary),
    markdown,
    isFormula: true,
  };
}
