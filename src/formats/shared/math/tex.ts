const WRAPPERS: readonly (readonly [open: string, close: string])[] = [
  ['$$', '$$'],
  ['$', '$'],
  ['\\[', '\\]'],
  ['\\(', '\\)'],
  ['\\begin{displaymath}', '\\end{displaymath}'],
  ['\\begin{math}', '\\end{math}'],
];
/** Marks the start of a displayed formula that has no other marks of its own. */
const DISPLAY_WRAPPERS = new Set(['$$', '\\[', '\\begin{displaymath}']);

export interface TexSource {
  latex: string;
  /** True if the source marks the formula as displayed on lines of its own. */
  isDisplay: boolean;
}

/** Removes comments of TeX, which reach from a percent sign to the end of the line. */
const dropComments = (source: string) => source.replace(/(?<!\\)%[^\n]*/g, '');

function cutDocument(source: string): string {
  const start = source.indexOf('\\begin{document}');
  if (start < 0) return source;
  const end = source.lastIndexOf('\\end{document}');
  return source.slice(start + '\\begin{document}'.length, end > start ? end : undefined);
}

/** Returns whether the braces at both ends of a text belong together. */
function isOneGroup(source: string): boolean {
  let depth = 0;
  for (let at = 0; at < source.length; at++) {
    if (source[at] === '\\') at++;
    else if (source[at] === '{') depth++;
    else if (source[at] === '}' && --depth === 0) return at === source.length - 1;
  }
  return false;
}

/** Writes dollar signs around math inside text as brackets, because the formula itself stands between dollars. */
function replaceDollars(source: string): string {
  let isOpen = false;
  return source.replace(/\\[\s\S]|\$/g, (match) => {
    if (match !== '$') return match;
    isOpen = !isOpen;
    return isOpen ? '\\(' : '\\)';
  });
}

/**
 * Cleans the TeX source of a formula: removes the document around it, comments, marks of math mode and line
 * ends. The result can be written between dollar signs.
 */
export function cleanTex(source: string): TexSource {
  let latex = dropComments(cutDocument(source)).replace(/\s+/g, ' ').trim();
  let isDisplay = false;
  for (const [open, close] of WRAPPERS) {
    if (latex.length < open.length + close.length || !latex.startsWith(open) || !latex.endsWith(close))
      continue;
    const inner = latex.slice(open.length, -close.length);
    if (inner.includes(open)) continue;
    latex = inner.trim();
    isDisplay ||= DISPLAY_WRAPPERS.has(open);
  }
  const styled = /^\{\s*\\(?:displaystyle|textstyle)(?![A-Za-z])/.exec(latex);
  if (styled && isOneGroup(latex)) latex = latex.slice(styled[0].length, -1).trim();
  latex = latex.replace(/^\\(?:displaystyle|textstyle)(?![A-Za-z])\s*/, '');
  // A trailing `\ ` has lost its space, and its backslash would escape the dollar sign after the formula.
  const trailing = /\\{1,200}$/.exec(latex.slice(-200))?.[0].length ?? 0;
  if (trailing % 2 === 1) latex = latex.slice(0, -1).trimEnd();
  return { latex: replaceDollars(latex), isDisplay };
}
