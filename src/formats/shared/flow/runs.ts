/** A stretch of text in one style: what every flowing format is read into before it becomes Markdown. */
export interface Run {
  /** Line breaks are '\n'. */
  text: string;
  bold?: boolean | undefined;
  italic?: boolean | undefined;
  strike?: boolean | undefined;
  code?: boolean | undefined;
  href?: string | undefined;
  /** Already Markdown (an image, a footnote mark): kept as it is, absent from the plain text unless `text` has it. */
  markdown?: string | undefined;
}

export interface Rendered {
  text: string;
  markdown: string;
}

const STYLES = ['bold', 'italic', 'strike', 'code', 'href'] as const;

function sameStyle(a: Run, b: Run): boolean {
  return a.markdown === undefined && b.markdown === undefined && STYLES.every((key) => a[key] === b[key]);
}

function joinAlike(runs: readonly Run[]): Run[] {
  const joined: Run[] = [];
  for (const run of runs) {
    const previous = joined[joined.length - 1];
    if (run.text === '' && run.markdown === undefined) continue;
    if (previous && sameStyle(previous, run)) previous.text += run.text;
    else joined.push({ ...run });
  }
  return joined;
}

/** Only what Markdown would swallow is escaped: tags, and marks that would make a heading or a quote. */
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

/** A text on one line. */
export const oneLine = (text: string) =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
    .join(' ');

function wrap(markdown: string, mark: string): string {
  // Emphasis marks must touch the text, and may not cross a line.
  return markdown
    .split('\n')
    .map((line) => {
      const core = line.trim();
      if (core === '') return line;
      const start = line.indexOf(core);
      return line.slice(0, start) + mark + core + mark + line.slice(start + core.length);
    })
    .join('\n');
}

function renderRun(run: Run): string {
  if (run.markdown !== undefined) return run.markdown;
  let markdown = run.code ? wrap(run.text, run.text.includes('`') ? '``' : '`') : escapeInline(run.text);
  if (run.strike) markdown = wrap(markdown, '~~');
  if (run.italic) markdown = wrap(markdown, '*');
  if (run.bold) markdown = wrap(markdown, '**');
  return markdown;
}

function linkTo(inner: string, href: string): string {
  const core = inner.trim();
  if (core === '') return inner;
  const start = inner.indexOf(core);
  const line = core.replace(/\n/g, ' ');
  // A picture inside the link keeps its own brackets.
  const label = line.includes('](') ? line : line.replace(/[[\]]/g, '\\$&');
  const target = /[\s()<>]/.test(href) ? `<${href.replace(/[<>\n]/g, encodeURIComponent)}>` : href;
  return `${inner.slice(0, start)}[${label}](${target})${inner.slice(start + core.length)}`;
}

/** Renders runs alone, as the content of a block; a line break becomes two spaces and a newline. */
export function renderRuns(runs: readonly Run[], options: { links: boolean; lineStart?: boolean }): Rendered {
  const joined = joinAlike(runs);
  const text = joined
    .map((run) => run.text)
    .join('')
    .trim();
  let markdown = '';
  for (let at = 0; at < joined.length; ) {
    const href = joined[at]!.href;
    let end = at + 1;
    while (end < joined.length && joined[end]!.href === href) end++;
    const inner = joined
      .slice(at, end)
      .map((run) => renderRun(run))
      .join('');
    markdown += href && options.links ? linkTo(inner, href) : inner;
    at = end;
  }
  markdown = markdown.trim();
  if (options.lineStart !== false) markdown = escapeLineStart(markdown);
  return { text: trimLines(text, '\n'), markdown: trimLines(markdown, '  \n') };
}

/** White space as HTML shows it: runs of it are one space, and none at the edges of the whole. */
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
        // Breaks that follow each other are one.
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

/** A line break that collapseSpace keeps. */
export const HARD_BREAK = '\ue000';

export function isBlank(runs: readonly Run[]): boolean {
  return runs.every((run) => run.markdown === undefined && run.text.trim() === '');
}
