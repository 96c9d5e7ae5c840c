/** Attributes in brackets above a block, such as `[source,python]` or `[cols="1,2",options="header"]`. */
export interface BlockAttributes {
  /** Attributes by position. The first one is the style of the block. */
  positional: string[];
  named: Map<string, string>;
}

export const NO_ATTRIBUTES: BlockAttributes = { positional: [], named: new Map() };

export function readBlockAttributes(line: string): BlockAttributes {
  const positional: string[] = [];
  const named = new Map<string, string>();
  for (const [part] of line.slice(1, -1).matchAll(/(?:"[^"]*"|[^,"])+/g)) {
    const [, name, value = ''] = /^\s*([\w-]{1,50})\s*=\s*(.*)$/s.exec(part) ?? [];
    if (name) named.set(name, value.trim().replace(/^"(.*)"$/s, '$1'));
    else positional.push(part.trim().replace(/[%.#].*$/s, ''));
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
  const term = /^([ \t]{0,40})(\S[^\n]{0,300}?)(:{2,4}|;;)(?:[ \t]+(.*))?$/.exec(line);
  if (!term || /^\w+::\S/.test(line)) return undefined;
  const [, indent = '', name, marks = '', text = ''] = term;
  return { kind: marks, isOrdered: false, indent: indent.length, term: name, text };
}

/** Delimiters of blocks, which begin and end with the same line. */
export const isDelimiter = (line: string): boolean =>
  /^(?:-{4,200}|\.{4,200}|={4,200}|\*{4,200}|_{4,200}|\+{4,200}|\/{4,200}|--|```.{0,50}|[|,:!]={3,200})$/.test(
    line,
  );

export const isSection = (line: string): boolean => /^(?:={1,6}|#{1,6})[ \t]+\S/.test(line);
