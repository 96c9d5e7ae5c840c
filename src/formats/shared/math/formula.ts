import type { Run } from '../flow/runs.ts';
import { writeLatex } from './latex.ts';
import { isEmptyNode, type MathNode, toRow } from './nodes.ts';
import { writePlain } from './plain.ts';
import { cleanTex } from './tex.ts';

export interface Formula {
  /** LaTeX code for math mode, on one line. */
  latex: string;
  /** The formula as one line of readable text. */
  plain: string;
  /** True if the formula stands on lines of its own. */
  isDisplay: boolean;
}

/** Puts the lines of a formula that is broken into lines into a table with one line per row. */
function splitLines(node: MathNode): MathNode {
  if (node.kind !== 'row' || !node.items.some((item) => item.kind === 'break')) return node;
  const lines: MathNode[][] = [[]];
  for (const item of node.items) {
    if (item.kind === 'break') lines.push([]);
    else lines.at(-1)!.push(item);
  }
  const rows = lines.filter((line) => line.length > 0).map((line) => [toRow(line)]);
  return { kind: 'table', rows, layout: 'equations' };
}

/** Builds a formula from its tree. Returns `undefined` if the formula is empty. */
export function buildFormula(node: MathNode, isDisplay: boolean): Formula | undefined {
  if (isEmptyNode(node)) return undefined;
  const root = splitLines(node);
  const latex = writeLatex(root).trim();
  return latex === '' ? undefined : { latex, plain: writePlain(root).trim(), isDisplay };
}

/**
 * Builds a formula from TeX source. `plain` is its text if it is known from elsewhere; otherwise the source is
 * used. Returns `undefined` if the source is empty.
 */
export function buildTexFormula(source: string, isDisplay: boolean, plain?: string): Formula | undefined {
  const tex = cleanTex(source);
  if (tex.latex === '') return undefined;
  return { latex: tex.latex, plain: plain || tex.latex, isDisplay: isDisplay || tex.isDisplay };
}

/**
 * Returns a formula as a run: `$…$` in Markdown for a formula in a line, `$$…$$` for a displayed formula.
 */
export function toFormulaRun({ latex, plain, isDisplay }: Formula): Run {
  const mark = isDisplay ? '$$' : '$';
  // An equation number is only valid in a displayed formula.
  const numbered = isDisplay ? latex : latex.replace(/ ?\\tag\{([^{}]{0,80})\}/g, '\\quad ($1)');
  // A space after `<` prevents readers of Markdown from taking the formula for HTML.
  const code = numbered.replace(/<(?=[A-Za-z/!?])/g, '< ');
  return { text: plain, markdown: mark + code + mark, formula: { latex, isDisplay } };
}
