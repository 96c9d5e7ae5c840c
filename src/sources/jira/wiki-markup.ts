import { codeFence } from '#src/lib/text/backticks.ts';

// Converts Jira's wiki markup, which Jira's API version 2 returns, to Markdown. Markup without a Markdown
// equivalent is left unchanged.

const DEEPEST_HEADING = 6;
const DEEPEST_LIST = 20;
const MACRO = /(\{(?:code|noformat)(?::[^}\n]{0,200})?\})/;
const LANGUAGE = /^[\w+#-]{1,30}$/;

/** Converts wiki markup to Markdown. `below` is the level of the heading above the text. */
export function wikiToMarkdown(text: string, below = 0): string {
  const parts: string[] = [];
  let code: { kind: string; language: string; pieces: string[] } | undefined;
  for (const [at, piece] of text.replaceAll(/\r\n?/g, '\n').split(MACRO).entries()) {
    const isMacro = at % 2 === 1;
    const [kind = '', given = ''] = isMacro ? piece.slice(1, -1).split(':', 2) : [];
    if (code && isMacro && kind === code.kind && given === '') {
      parts.push(renderFence(code));
      code = undefined;
    } else if (code) code.pieces.push(piece);
    else if (isMacro) code = { kind, language: parseLanguage(given), pieces: [] };
    else parts.push(convertLines(piece, below));
  }
  if (code) parts.push(renderFence(code));
  return parts
    .map((part) => part.replace(/^\n{1,1000}/, '').trimEnd())
    .filter((part) => part.trim() !== '')
    .join('\n\n')
    .trim();
}

/**
 * Parses the language from the parameters of a code macro. Examples of such macros are
 * `{code:java|title=A.java}` and `{code:title=A.java|java}`.
 */
const parseLanguage = (given: string) => given.split('|').find((each) => LANGUAGE.test(each)) ?? '';

function renderFence({ language, pieces }: { language: string; pieces: string[] }): string {
  const code = pieces.join('').replace(/^\n/, '').trimEnd();
  const fence = codeFence(code);
  return `${fence}${language}\n${code}\n${fence}`;
}

function convertLines(text: string, below: number): string {
  let isQuoted = false;
  let isInTable = false;
  const lines: string[] = [];
  for (const line of text.split('\n')) {
    const isRow = /^\s{0,20}\|/.test(line);
    if (isRow && !isInTable) lines.push(...convertHeaderRow(line));
    const shown = isRow ? convertRow(line, isInTable) : convertLine(line, below);
    isInTable = isRow;
    const marks = line.split('{quote}').length - 1;
    const words = shown?.replaceAll('{quote}', '').trimEnd();
    if (words !== undefined && (words !== '' || marks === 0)) {
      lines.push(isQuoted || marks > 0 ? `> ${words}` : words);
    }
    if (marks % 2 === 1) isQuoted = !isQuoted;
  }
  return lines.join('\n');
}

/**
 * Splits a table row into cells at the vertical bars. Inline markup is converted first, because links contain
 * bars too.
 */
function splitCells(line: string): string[] {
  const row = convertInline(line.trim());
  return row
    .replace(/^\|\|?/, '')
    .replace(/\|\|?$/, '')
    .split(row.startsWith('||') ? '||' : '|')
    .map((cell) => cell.trim());
}

/**
 * Builds the header row of a table. A table without a header row gets an empty one, because Markdown requires
 * it.
 */
function convertHeaderRow(line: string): string[] {
  const cells = splitCells(line);
  const rule = `|${' --- |'.repeat(cells.length)}`;
  return line.trim().startsWith('||')
    ? [`| ${cells.join(' | ')} |`, rule]
    : [`|${'  |'.repeat(cells.length)}`, rule];
}

/**
 * Converts a table row. Returns `undefined` for a header row at the top of a table, because
 * `convertHeaderRow` has already written it.
 */
function convertRow(line: string, isInTable: boolean): string | undefined {
  if (!isInTable && line.trim().startsWith('||')) return undefined;
  return `| ${splitCells(line).join(' | ')} |`;
}

/** Converts a line of wiki markup to Markdown. Returns `undefined` if the line contains no text. */
function convertLine(line: string, below: number): string | undefined {
  const heading = /^\s{0,20}h([1-6])\.\s(.*)$/.exec(line);
  if (heading) {
    const level = Math.min(Number(heading[1]) + below, DEEPEST_HEADING);
    return `${'#'.repeat(level)} ${convertInline(heading[2]!.trim())}`;
  }
  const item = /^\s{0,20}([*#-]{1,50})\s(.*)$/.exec(line);
  if (item) {
    const signs = [...item[1]!].slice(-DEEPEST_LIST);
    const indent = signs.slice(0, -1).map((sign) => (sign === '#' ? '   ' : '  '));
    return `${indent.join('')}${signs.at(-1) === '#' ? '1.' : '-'} ${convertInline(item[2]!.trim())}`;
  }
  if (/^\s{0,20}-{4,5}\s{0,20}$/.test(line)) return '---';
  if (line.startsWith('bq. ')) return `> ${convertInline(line.slice(4))}`;
  const panel = /^\s{0,20}\{panel(?::([^}\n]{0,300}))?\}(.*)$/.exec(line);
  if (!panel) return convertInline(line);
  const title = /(?:^|\|)title=([^|]*)/.exec(panel[1] ?? '')?.[1] ?? '';
  return (
    [title && `**${title}**`, convertInline(panel[2]!.replace('{panel}', ''))].filter(Boolean).join(' ') ||
    undefined
  );
}

function convertInline(text: string): string {
  return text
    .replaceAll(/\{color(?::[^}\n]{1,50})?\}/g, '')
    .replaceAll(/\{\{([^{}\n]{1,1000})\}\}/g, '`$1`')
    .replaceAll(/!([^!|\s][^!|\n]{0,200}\.\w{2,5})(?:\|[^!\n]{0,300})?!/g, '[$1]')
    .replaceAll(/(^|[\s(|])\*([^*\s](?:[^*\n]{0,500}[^*\s])?)\*(?=$|[\s.,;:!?)|])/g, '$1**$2**')
    .replaceAll(/\[([^\][\n]{1,2000})\]/g, (whole, inner: string) => convertLink(inner) ?? whole);
}

function convertLink(inner: string): string | undefined {
  if (inner.startsWith('~')) return `@${inner.slice(1)}`;
  const [words = '', address = words] = inner.split('|');
  if (!/^(?:https?:\/\/|mailto:)[^\s<>]{1,2000}$/i.test(address)) return undefined;
  const safe = address.replaceAll('(', '%28').replaceAll(')', '%29');
  return words === address ? `<${safe}>` : `[${words}](${safe})`;
}
