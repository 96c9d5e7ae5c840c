/** Lines of equal punctuation marks, which underline titles and divide sections. */
export const isAdornment = (line: string | undefined): boolean =>
  line !== undefined && /^([!-/:-@[-`{-~])\1*\s*$/.test(line);

export interface SectionTitle {
  text: string;
  /** Titles of one level have the same style. */
  style: string;
  /** Number of lines. */
  lines: number;
}

const isLongEnough = (adornment: string, title: string) =>
  adornment.trimEnd().length >= Math.min(title.trim().length, 4);

/** Reads a title with a line of marks below it, or above and below it. */
export function readSectionTitle(lines: readonly string[], at: number): SectionTitle | undefined {
  const [first = '', second = '', third = ''] = [lines[at], lines[at + 1], lines[at + 2]];
  if (
    isAdornment(first) &&
    second.trim() !== '' &&
    first.trimEnd() === third.trimEnd() &&
    isLongEnough(first, second)
  ) {
    return isAdornment(second)
      ? undefined
      : { text: second.trim(), style: `${first[0]}${first[0]}`, lines: 3 };
  }
  const isTitle = first.trim() !== '' && !/^\s/.test(first) && !isAdornment(first);
  if (!isTitle || !isAdornment(second) || !isLongEnough(second, first)) return undefined;
  return { text: first.trim(), style: second[0]!, lines: 2 };
}

export interface ListMark {
  isOrdered: boolean;
  number?: number | undefined;
  /** Number of characters before the text of the item. */
  width: number;
}

/** Reads the mark of a list item, or returns `undefined` if the line does not begin one. */
export function readListMark(line: string): ListMark | undefined {
  const bullet = /^[-*+•‣](?:[ \t]+|$)/.exec(line);
  if (bullet) return { isOrdered: false, width: bullet[0].length };
  const found =
    /^(?:\(?(\d{1,5}|#|[a-zA-Z]|[ivxlIVXL]{2,6})\)|(\d{1,5}|#|[a-zA-Z]|[ivxlIVXL]{2,6})\.)[ \t]+(?=\S)/.exec(
      line,
    );
  if (!found) return undefined;
  const label = found[1] ?? found[2] ?? '';
  return {
    isOrdered: true,
    ...(/^\d/.test(label) && { number: Number(label) }),
    width: found[0].length,
  };
}

export const isSimpleTableBorder = (line: string): boolean => /^=+(?: +=+)+ *$/.test(line);
export const isGridTableBorder = (line: string): boolean => /^\+(?:[-=]+\+)+ *$/.test(line);
