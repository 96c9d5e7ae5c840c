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
  const block = lines.slice(from, end).map((line) => (isBlankLine(line) ? '' : line.slice(common)));
  return { block, end };
}
