/** Yields each paragraph of a page with the number of blank lines above it. */
export function* splitIntoParagraphs(page: string): Generator<{ body: string; blankLines: number }> {
  let start = -1;
  let blankLines = 0;
  for (let from = 0; from <= page.length; ) {
    const newline = page.indexOf('\n', from);
    const end = newline < 0 ? page.length : newline;
    const isBlank = page.slice(from, end).trim() === '';
    if (!isBlank && start < 0) start = from;
    if (start >= 0 && (isBlank || newline < 0)) {
      yield { body: page.slice(start, isBlank ? from : end).trimEnd(), blankLines };
      start = -1;
      blankLines = 0;
    }
    if (isBlank) blankLines++;
    from = end + 1;
  }
}
