import { type BlockContext, type Draft, escapeMarkdown, joinLines } from '../text/blocks.ts';
import { joinIntoLines, splitIntoSegments } from '../text/lines.ts';
import type { Formula } from './formulas.ts';

/** Converts a formula to a block. Its text keeps the characters as printed, and its Markdown is LaTeX. */
export function toFormulaDraft(formula: Formula, context: BlockContext): Draft {
  const { x0, y0, x1, y1, words, label } = formula;
  const lines = joinIntoLines(splitIntoSegments(words));
  const text = joinLines(lines, context);
  const draft = { x0, y0, x1, y1, lines, text, isFormula: true };
  if (formula.lines.length === 0) return { ...draft, type: 'paragraph', markdown: escapeMarkdown(text) };
  if (label !== undefined) {
    const mark = /^\d+[.)]$/.test(label) ? label : '-';
    return {
      ...draft,
      type: 'list',
      markdown: `${mark} ${formula.lines.map((line) => `$${line}$`).join(' ')}`,
    };
  }
  const markdown = formula.lines.map((line) => `$$${line}$$`).join('\n\n');
  return { ...draft, type: 'paragraph', markdown };
}
