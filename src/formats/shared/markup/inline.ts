import type { Run } from '../flow/runs.ts';

/**
 * Reads a construct such as bold text that begins at a position. Returns its runs and the position after it, or
 * `undefined` if the characters are plain text.
 */
export type InlineReader = (
  text: string,
  at: number,
  depth: number,
) => { end: number; runs: Run[] } | undefined;

/** Readers by the character that their constructs begin with. */
export type InlineReaders = ReadonlyMap<string, InlineReader>;

const MAX_DEPTH = 6;
/** Maximum number of characters of a construct within a line. */
export const MAX_INLINE_CHARACTERS = 600;

/** Splits a text into runs. Constructs that are nested too deeply stay plain text. */
export function readInline(text: string, readers: InlineReaders, depth = 0): Run[] {
  const runs: Run[] = [];
  let start = 0;
  for (let at = 0; at < text.length; at++) {
    const found = depth < MAX_DEPTH ? readers.get(text[at]!)?.(text, at, depth) : undefined;
    if (!found || found.end <= at) continue;
    if (at > start) runs.push({ text: text.slice(start, at) });
    for (const run of found.runs) runs.push(run);
    start = found.end;
    at = found.end - 1;
  }
  if (start < text.length) runs.push({ text: text.slice(start) });
  return runs;
}

export const isWordCharacter = (character: string | undefined): boolean =>
  character !== undefined && /[\p{L}\p{N}]/u.test(character);

/**
 * Returns the position of the mark that closes a construct, or -1. The mark must follow a character that is not
 * blank. If `isConstrained` is set, no letter or digit may follow the mark.
 */
export function findClosing(text: string, mark: string, from: number, isConstrained: boolean): number {
  const near = text.slice(from, from + MAX_INLINE_CHARACTERS);
  for (let at = near.indexOf(mark, 1); at > 0; at = near.indexOf(mark, at + 1)) {
    const isTight = !/\s/.test(near[at - 1]!);
    if (isTight && !(isConstrained && isWordCharacter(text[from + at + mark.length]))) return from + at;
  }
  return -1;
}

/** Creates a reader for text between two equal marks, such as `*bold*`. */
export function readBetween(
  mark: string,
  isConstrained: boolean,
  write: (inner: string, depth: number) => Run[],
): InlineReader {
  return (text, at, depth) => {
    const start = at + mark.length;
    if (!text.startsWith(mark, at) || /^(?:\s|$)/.test(text.slice(start, start + 1))) return undefined;
    if (isConstrained && isWordCharacter(text[at - 1])) return undefined;
    const end = findClosing(text, mark, start, isConstrained);
    return end < 0 ? undefined : { end: end + mark.length, runs: write(text.slice(start, end), depth + 1) };
  };
}

/** Tries several readers in order. */
export const firstOf =
  (...readers: readonly InlineReader[]): InlineReader =>
  (text, at, depth) => {
    for (const read of readers) {
      const found = read(text, at, depth);
      if (found) return found;
    }
    return undefined;
  };

/** Creates a reader for a pattern with the flag `y`. `write` returns `undefined` if the text is no construct. */
export const readPattern =
  (pattern: RegExp, write: (found: RegExpExecArray, depth: number) => Run[] | undefined): InlineReader =>
  (text, at, depth) => {
    pattern.lastIndex = at;
    const found = pattern.exec(text);
    const runs = found ? write(found, depth + 1) : undefined;
    return found && runs ? { end: at + found[0].length, runs } : undefined;
  };

export const withStyle = (runs: readonly Run[], style: Partial<Run>): Run[] =>
  runs.map((run) => ({ ...style, ...run }));

/** Writes raised or lowered text with the HTML tags that Markdown allows. */
export const scriptRun = (tag: 'sub' | 'sup', text: string): Run => ({
  text,
  markdown: `<${tag}>${text.replaceAll('<', '&lt;')}</${tag}>`,
});

export const formulaRun = (latex: string): Run => ({ text: latex, markdown: `$${latex}$` });
