import { countIndent } from '../shared/markup/indentation.ts';

export interface Headline {
  level: number;
  /** State of a task, such as `TODO`. */
  state: string | undefined;
  text: string;
  /** True if the headline and everything below it is a comment. */
  isComment: boolean;
}

/** Reads a headline. Its priority and its tags are left out. */
export function readHeadline(line: string, states: ReadonlySet<string>): Headline | undefined {
  const found = /^(\*{1,50})[ \t]+(\S.*)$/.exec(line);
  if (!found) return undefined;
  let text = found[2]!.trimEnd();
  const first = /^[^\s:]{1,30}/.exec(text)?.[0] ?? '';
  const state = states.has(first) && text.length > first.length ? first : undefined;
  if (state) text = text.slice(state.length).trimStart();
  text = text.replace(/^\[#[A-Za-z0-9]\]\s{0,9}/, '');
  const isComment = /^COMMENT(?:\s|$)/.test(text);
  const tags = /:[\p{L}\p{N}_@#%:]{1,300}:$/u.exec(text.slice(-302));
  if (tags && /\s/.test(text.at(-tags[0].length - 1) ?? ' ')) text = text.slice(0, -tags[0].length).trimEnd();
  return { level: found[1]!.length, state, text, isComment };
}

export interface ListMark {
  isOrdered: boolean;
  indent: number;
  number?: number | undefined;
  term?: string | undefined;
  text: string;
}

/** Reads the mark of a list item, or returns `undefined` if the line does not begin one. */
export function readListMark(line: string): ListMark | undefined {
  const found = /^([ \t]{0,60})(?:([-+]|(?<=[ \t])\*)|(\d{1,5}|[a-zA-Z])[.)])(?:[ \t](.*))?$/.exec(line);
  if (!found) return undefined;
  const [, , bullet, label, after = ''] = found;
  const rest = after.trim();
  const counter = /^\[@(\d{1,5})\][ \t]*/.exec(rest);
  const content = rest.slice(counter?.[0].length ?? 0).replace(/^\[[ X-]\][ \t]+/, '');
  const term = bullet ? /^(\S[^\n]{0,200}?)[ \t]+::(?:[ \t]+|$)/.exec(content) : null;
  const number = Number(counter?.[1] ?? label);
  return {
    isOrdered: bullet === undefined,
    indent: countIndent(line),
    ...(number > 0 && { number }),
    ...(term && { term: term[1] }),
    text: term ? content.slice(term[0].length) : content,
  };
}

export const isTableLine = (line: string): boolean => /^[ \t]{0,60}\|/.test(line);

/** Splits the rows of a table. Rules, and rows that only configure the columns, are left out. */
export function splitTableRows(lines: readonly string[]): string[][] {
  return lines
    .map((line) => line.trim())
    .filter((line) => !/^\|[-+|]*$/.test(line) || /^\|(?:\|)*$/.test(line))
    .map((line) =>
      line
        .replace(/^\|/, '')
        .replace(/\|$/, '')
        .split('|')
        .map((cell) => cell.trim()),
    )
    .filter((row) => !configuresColumns(row));
}

/** Returns whether a row only sets the width, the alignment or the group of columns, such as `| / | < | > |`. */
function configuresColumns(row: readonly string[]): boolean {
  if (row.every((cell) => cell === '')) return false;
  const isGroup = row[0] === '/' && row.slice(1).every((cell) => /^[<>]{0,2}$/.test(cell));
  return isGroup || row.every((cell) => /^(?:<[lrc]?\d*>)?$/.test(cell));
}
