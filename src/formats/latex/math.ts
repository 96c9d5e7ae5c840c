import { getOwn } from '#src/lib/get-own.ts';
import type { LatexReader } from './reader.ts';

/** Environments of displayed formulas, with the environment that shows them between `$$`. */
const MATH_ENVIRONMENTS: Record<string, string> = {
  equation: '',
  displaymath: '',
  math: '',
  dmath: '',
  multline: 'gathered',
  gather: 'gathered',
  align: 'aligned',
  flalign: 'aligned',
  alignat: 'aligned',
  eqnarray: 'array',
};

const baseName = (environment: string) => environment.replace(/\*$/, '');

export const isMathEnvironment = (environment: string): boolean =>
  Object.hasOwn(MATH_ENVIRONMENTS, baseName(environment));

/** Removes labels, blank lines and other parts of a formula that do not show. */
function cleanFormula(latex: string): string {
  return latex
    .replace(/\\label[ \t]{0,9}\{[^{}]{0,200}\}|\\(?:nonumber|notag|displaystyle(?![a-zA-Z]))/g, '')
    .replace(/\\(?:begin|end)\{\\own\}/g, '')
    .replace(/\\l?eqno(?![a-zA-Z])/g, '\\qquad ')
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join('\n');
}

/** Writes the content of a math environment as LaTeX that can stand between `$$`. */
export function writeDisplayedFormula(environment: string, content: string): string {
  const inner = getOwn(MATH_ENVIRONMENTS, baseName(environment)) ?? '';
  const withoutCount = /^alignat/.test(environment) ? content.replace(/^\s{0,20}\{\d{1,3}\}/, '') : content;
  const formula = cleanFormula(withoutCount).replace(/\\\\$/, '').trim();
  if (inner === '' || formula === '') return formula;
  return `\\begin{${inner}}${inner === 'array' ? '{rcl}' : ''}\n${formula}\n\\end{${inner}}`;
}

export const writeInlineFormula = (content: string): string => cleanFormula(content).replace(/\n/g, ' ');

/**
 * Returns the position of the dollar sign that ends a formula within a line, or -1 if a group or paragraph ends
 * before.
 */
export function findInlineMathEnd(reader: LatexReader, from: number): number {
  const { text } = reader;
  for (let at = from; at < text.length; at++) {
    const character = text[at];
    if (character === '\\') at++;
    else if (character === '$') return at;
    else if (character === '{') at = Math.max(at, reader.findGroupEnd(at));
    else if (character === '}') return -1;
    else if (character === '\n' && /^\n[ \t]{0,99}\n/.test(text.slice(at, at + 101))) return -1;
  }
  return -1;
}
