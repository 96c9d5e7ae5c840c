import { escapeRegExp } from '#src/lib/text/escape-regexp.ts';

/** Range [start, end) of a text, in UTF-16 code units. */
export interface Range {
  start: number;
  end: number;
}

/** Function that splits a range of text into smaller ranges that cover the whole range. */
export type Splitter = (text: string, range: Range) => Range[];

const BLANK = /\s/;

/**
 * Returns the range without white space at both ends. A range that contains only white space becomes empty.
 */
export function trim(text: string, range: Range): Range {
  let { start, end } = range;
  while (start < end && BLANK.test(text[start]!)) start++;
  while (end > start && BLANK.test(text[end - 1]!)) end--;
  return { start, end };
}

/** Returns a splitter that splits after every match of `pattern`, which must have the flag `g`. */
export function cutAfter(pattern: RegExp): Splitter {
  return (text, { start, end }) => {
    const part = text.slice(start, end);
    const ranges: Range[] = [];
    let from = 0;
    for (const match of part.matchAll(pattern)) {
      const cut = match.index + match[0].length;
      if (cut > from) ranges.push({ start: start + from, end: start + cut });
      from = cut;
    }
    if (from < part.length) ranges.push({ start: start + from, end });
    return ranges;
  };
}

/**
 * Returns a splitter that splits after every occurrence of `separator`. If `separator` is empty, nothing is
 * split.
 */
export function cutAfterText(separator: string): Splitter {
  if (separator === '') return (_text, range) => [range];
  return cutAfter(new RegExp(escapeRegExp(separator), 'gu'));
}

/** Splits a range of text into code points, so that surrogate pairs stay whole. */
export const codePoints: Splitter = (text, { start, end }) => {
  const ranges: Range[] = [];
  for (let at = start; at < end; ) {
    const width = text.codePointAt(at)! > 0xffff && at + 1 < end ? 2 : 1;
    ranges.push({ start: at, end: at + width });
    at += width;
  }
  return ranges;
};
