import type { Link } from '#src/documents/document.ts';
import { arrangeFormulas } from '../math/arrange-formulas.ts';
import { writePlainText } from './scripts.ts';

/**
 * A piece of text with one style, such as bold. Parsers of formats without a fixed page layout convert text
 * to runs, which are later rendered as Markdown.
 */
export interface Run {
  text: string;
  bold?: boolean | undefined;
  italic?: boolean | undefined;
  strike?: boolean | undefined;
  code?: boolean | undefined;
  /** Position of the text: below the line, as in H₂O, or above it, as in 10⁶. */
  script?: 'sub' | 'super' | undefined;
  href?: string | undefined;
  /**
   * Markdown to insert unchanged, such as an image or a footnote mark. `text` then contains the plain text of
   * the run.
   */
  markdown?: string | undefined;
  /** Formula that the run shows. `markdown` then contains the formula between dollar signs. */
  formula?: RunFormula | undefined;
}

export interface RunFormula {
  /** LaTeX code for math mode, on one line. */
  latex: string;
  /** True if the formula stands on lines of its own. */
  isDisplay: boolean;
}

export interface Rendered {
  text: string;
  markdown: string;
}

const STYLES = ['bold', 'italic', 'strike', 'code', 'href'] as const;
type StyleName = (typeof STYLES)[number] | 'script';

function sameStyle(a: Run, b: Run, names: readonly StyleName[]): boolean {
  return a.markdown === undefined && b.markdown === undefined && names.every((key) => a[key] === b[key]);
}

function joinAlike(runs: readonly Run[]): Run[] {
  const joined: Run[] = [];
  for (const run of runs) {
    const previous = joined[joined.length - 1];
    if (run.text === '' && run.markdown === undefined) continue;
    if (previous && sameStyle(previous, run, [...STYLES, 'script'])) previous.text += run.text;
    // Tags inside code would be shown as text, so a subscript or superscript ends the code.
    else joined.push(run.script ? { ...run, code: undefined } : { ...run });
  }
  return joined;
}

/**
 * Escapes `<` only where Markdown would interpret the text as HTML. Other punctuation is not escaped, so that
 * the text stays readable.
 */
function escapeInline(text: string): string {
  return text.replace(/<(?=\/?[a-zA-Z][\w-]*(?:\s[^<>]*)?\/?>|!--|\?)/g, '\\<');
}

function escapeLineStart(markdown: string): string {
  return markdown.replace(/^([ \t]*)(#{1,6}(?=\s)|>|={3,}$|-{3,}$)/gm, '$1\\$2');
}

const trimLines = (text: string, separator: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .join(separator);

/** Joins the non-empty lines of a text with spaces. */
export const oneLine = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');

function wrap(markdown: string, mark: string, endMark = mark): string {
  // Emphasis marks of Markdown must touch the text and must not span lines, so each line is marked
  // separately.
  return markdown
    .split('\n')
    .map((line) => {
      const core = line.trim();
      if (core === '') return line;
      const start = line.indexOf(core);
      return line.slice(0, start) + mark + core + endMark + line.slice(start + core.length);
    })
    .join('\n');
}

function renderText({ text, code, script }: Run, hasFormulas: boolean): string {
  if (code) return wrap(text, text.includes('`') ? '``' : '`');
  const escaped = escapeInline(text);
  // A dollar sign beside a formula could be read as the start of another formula.
  const markdown = hasFormulas ? escaped.replaceAll('$', '\\$') : escaped;
  if (script === undefined) return markdown;
  return script === 'sub' ? wrap(markdown, '<sub>', '</sub>') : wrap(markdown, '<sup>', '</sup>');
}

/** Renders runs whose style differs at most in their position below or above the line. */
function renderAlike(runs: readonly Run[], hasFormulas: boolean): string {
  const [first] = runs;
  if (!first) return '';
  if (first.markdown !== undefined) return first.markdown;
  let markdown = runs.map((run) => renderText(run, hasFormulas)).join('');
  if (first.strike) markdown = wrap(markdown, '~~');
  if (first.italic) markdown = wrap(markdown, '*');
  if (first.bold) markdown = wrap(markdown, '**');
  return markdown;
}

/** Renders consecutive runs. Subscripts and superscripts stay inside the emphasis of the text around them. */
function renderInline(runs: readonly Run[], hasFormulas: boolean): string {
  let markdown = '';
  for (let at = 0; at < runs.length; ) {
    let end = at + 1;
    while (end < runs.length && sameStyle(runs[at]!, runs[end]!, STYLES)) end++;
    markdown += renderAlike(runs.slice(at, end), hasFormulas);
    at = end;
  }
  return markdown;
}

function linkTo(inner: string, href: string): string {
  const core = inner.trim();
  if (core === '') return inner;
  const start = inner.indexOf(core);
  const line = core.replace(/\n/g, ' ');
  // Brackets in the label of a link are escaped. If the label contains an image, its brackets are part of the
  // syntax and stay unescaped.
  const label = line.includes('](') ? line : line.replace(/[[\]]/g, '\\$&');
  const target = /[\s()<>]/.test(href) ? `<${href.replace(/[<>\n]/g, encodeURIComponent)}>` : href;
  return `${inner.slice(0, start)}[${label}](${target})${inner.slice(start + core.length)}`;
}

/** Renders runs as the content of a block. In Markdown, a line break becomes two spaces and a newline. */
export function renderRuns(runs: readonly Run[], options: { links: boolean; lineStart?: boolean }): Rendered {
  const joined = arrangeFormulas(joinAlike(runs), options.lineStart !== false);
  const hasFormulas = joined.some((run) => run.formula !== undefined);
  const text = writePlainText(joined).trim();
  let markdown = '';
  for (let at = 0; at < joined.length; ) {
    const href = joined[at]!.href;
    let end = at + 1;
    while (end < joined.length && joined[end]!.href === href) end++;
    const inner = renderInline(joined.slice(at, end), hasFormulas);
    markdown += href && options.links ? linkTo(inner, href) : inner;
    at = end;
  }
  markdown = markdown.trim();
  if (options.lineStart !== false) markdown = escapeLineStart(markdown);
  return { text: trimLines(text, '\n'), markdown: trimLines(markdown, '  \n') };
}

/**
 * Collapses white space as HTML does: each sequence becomes one space, and white space at the start and
 * around line breaks is removed.
 */
export function collapseSpace(runs: readonly Run[]): Run[] {
  const collapsed: Run[] = [];
  let spaced = true;
  for (const run of runs) {
    if (run.markdown !== undefined) {
      collapsed.push(run);
      spaced = false;
      continue;
    }
    let lines = '';
    let line = '';
    for (const part of run.text.split(/([ \t\r\f\n\v]+|\ue000)/)) {
      if (part === '\ue000') {
        const ended = line.trimEnd();
        if (ended !== '' || lines === '') lines += `${ended}\n`;
        line = '';
        spaced = true;
      } else if (/^[ \t\r\f\n\v]/.test(part)) {
        if (!spaced) line += ' ';
        spaced = true;
      } else if (part !== '') {
        line += part;
        spaced = false;
      }
    }
    collapsed.push({ ...run, text: lines + line });
  }
  return collapsed;
}

/** Private-use character for a line break that `collapseSpace` preserves. */
export const HARD_BREAK = '\ue000';

export function isBlank(runs: readonly Run[]): boolean {
  return runs.every((run) => run.markdown === undefined && run.text.trim() === '');
}

/** Lists the links of runs. Consecutive runs with the same address are one link. */
export function listLinks(runs: readonly Run[]): Link[] {
  const links: Link[] = [];
  let lastHref: string | undefined;
  for (const { text, href } of runs) {
    if (href && href === lastHref) links.at(-1)!.text += text;
    else if (href) links.push({ text, url: href });
    lastHref = href;
  }
  return links;
}
