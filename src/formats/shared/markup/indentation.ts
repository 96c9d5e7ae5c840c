/** Returns the number of columns by which a line is indented. A tab advances to the next multiple of eight. */
export function countIndent(line: string): number {
  let columns = 0;
  for (const character of line) {
    if (character === ' ') columns++;
    else if (character === '\t') columns += 8 - (columns % 8);
    else break;
  }
  return columns;
}

/** Removes columns of indentation. If a tab reaches further, the rest of the tab is kept as blanks. */
export function cutIndent(line: string, columns: number): string {
  let covered = 0;
  let at = 0;
  for (; covered < columns && (line[at] === ' ' || line[at] === '\t'); at++)
    covered += line[at] === ' ' ? 1 : 8 - (covered % 8);
  return ' '.repeat(Math.max(0, covered - columns)) + line.slice(at);
}

const isBlankLine = (line: string) => line.trim() === '';

/**
 * Returns the lines from an index on that are blank or indented by at least `least` columns, without their common
 * indentation, and the index after them.
 */
export function takeIndented(
  lines: readonly string[],
  from: number,
  least: number,
): { block: string[]; end: number } {
  let end = from;
  let common = Number.POSITIVE_INFINITY;
  while (end < lines.length) {
    const line = lines[end]!;
    if (!isBlankLine(line)) {
      const indent = countIndent(line);
      if (indent < least) break;
      common = Math.min(common, indent);
    }
    end++;
  }
  while (end > from && isBlankLine(lines[end - 1]!)) end--;
  const block = lines.slice(from, end).map((line) => (isBlankLine(line) ? '' : cutIndent(line, common)));
  return { block, end };
}
