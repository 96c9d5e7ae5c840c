/** Attributes in brackets above a block, such as `[source,python]` or `[cols="1,2",options="header"]`. */
export interface BlockAttributes {
  /** Attributes by position. The first one is the style of the block. */
  positional: string[];
  named: Map<string, string>;
}

export const NO_ATTRIBUTES: BlockAttributes = { positional: [], named: new Map() };

/** Splits a text at the commas that are not between quotation marks. */
function splitOutsideQuotes(text: string): string[] {
  const parts: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at++) {
    if (text[at] === '"') isQuoted = !isQuoted;
    else if (text[at] === ',' && !isQuoted) {
      parts.push(text.slice(start, at));
      start = at + 1;
    }
  }
  return [...parts, text.slice(start)];
}

export function readBlockAttributes(line: string): BlockAttributes {
  const positional: string[] = [];
  const named = new Map<string, string>();
  for (const part of splitOutsideQuotes(line.slice(1, -1))) {
    const equals = part.indexOf('=');
    const name = part.slice(0, Math.max(0, equals)).trim();
    if (/^[\w-]{1,50}$/.test(name))
      named.set(
        name,
        part
          .slice(equals + 1)
          .replace(/"/g, '')
          .trim(),
      );
    else positional.push(part.split(/[%.#]/)[0]?.trim() ?? '');
  }
  return { positional, named };
}

export interface ListMark {
  /** Marks of one level are equal, apart from their numbers. */
  kind: string;
  isOrdered: boolean;
  indent: number;
  number?: number | undefined;
  /** Term of a description list. */
  term?: string | undefined;
  text: string;
}

/** Reads the mark of a list item, or returns `undefined` if the line does not begin one. */
export function readListMark(line: string): ListMark | undefined {
  const found =
    /^([ \t]{0,40})(?:(\*{1,6}|-|•)|(\.{1,6})|(\d{1,4}|[a-zA-Z])[.)]|<(\d{1,3}|\.)>)[ \t]+(\S.*)$/.exec(line);
  if (found) {
    const [, indent = '', bullet, dots, number, callout, text = ''] = found;
    const kind = bullet ?? dots ?? (number === undefined ? '<>' : '1.');
    return {
      kind,
      isOrdered: bullet === undefined,
      indent: indent.length,
      ...(number !== undefined && /^\d/.test(number) && { number: Number(number) }),
      ...(callout !== undefined && callout !== '.' && { number: Number(callout) }),
      text: text.replace(/^\[[ xX*]\] /, ''),
    };
  }
  const trimmed = line.trimStart();
  const term = /(?::{2,4}|;;)(?=[ \t]|$)/.exec(trimmed.slice(0, 310));
  if (!term || term.index === 0) return undefined;
  const text = trimmed.slice(term.index + term[0].length).trim();
  const indent = line.length - trimmed.length;
  return { kind: term[0], isOrdered: false, indent, term: trimmed.slice(0, term.index), text };
}

/** Delimiters of blocks, which begin and end with the same line. */
export const isDelimiter = (line: string): boolean =>
  /^(?:-{4,200}|\.{4,200}|={4,200}|\*{4,200}|_{4,200}|\+{4,200}|\/{4,200}|--|```.{0,50}|[|,:!]={3,200})$/.test(
    line,
  );

export const isSection = (line: string): boolean => /^(?:={1,6}|#{1,6})[ \t]+\S/.test(line);

/**
 * Removes the directives that include lines under a condition. The lines are kept, and so is the text that a
 * directive has in its brackets.
 */
export const removeConditions = (lines: readonly string[]): string[] =>
  lines.flatMap((line) => {
    const found = /^(ifdef|ifndef|ifeval|endif)::[^[\s]{0,200}\[(.*)\][ \t]*$/.exec(line);
    if (!found) return [line];
    const [, name = '', text = ''] = found;
    return text !== '' && /^if(?:def|ndef)$/.test(name) ? [text] : [];
  });

/** Level of open lists. */
export interface Level {
  kind: string;
  indent: number;
  /** Number of the next item without a number of its own. */
  next: number;
}

/** Returns the level of a list item, and opens or closes levels for it. */
export function findLevel(levels: Level[], mark: ListMark): number {
  const isAlike = ({ kind }: Level) => kind === mark.kind;
  const exact = levels.findLastIndex((level) => isAlike(level) && level.indent === mark.indent);
  const known =
    exact >= 0 ? exact : levels.findIndex((level) => isAlike(level) && level.indent > mark.indent);
  if (known >= 0) levels.length = known + 1;
  else levels.push({ kind: mark.kind, indent: mark.indent, next: 1 });
  return levels.length - 1;
}
