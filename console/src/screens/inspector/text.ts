/** Removes Markdown syntax: headings, emphasis, links, figures and table rules. */
export function toPlainText(markdown: string): string {
  const lines = markdown.split('\n').flatMap((line) => {
    if (/^[\s|:-]+$/.test(line) && line.includes('--')) return [];
    const inner = line.startsWith('|') ? line.slice(1, line.endsWith('|') ? -1 : undefined) : line;
    const cells =
      inner === line
        ? line
        : inner
            .split('|')
            .map((cell) => cell.trim())
            .join('   ');
    return [
      cells
        .replace(/^#{1,6} /, '')
        .replace(/!?\[([^\][]*)\]\([^()]*\)/g, '$1')
        .replace(/\*\*|__|`/g, ''),
    ];
  });
  return lines.join('\n').trim();
}

export interface Part {
  /** Offset in characters at which the part begins in the text. */
  from: number;
  part: string;
  isFound: boolean;
}

/** Splits a text into parts that match `words`, ignoring case, and parts that do not. */
export function splitAtMatches(text: string, words: string): Part[] {
  const [lower, wanted] = [text.toLowerCase(), words.toLowerCase()];
  // If lower-casing changes the length of the text, offsets would be wrong, so nothing is highlighted.
  if (!wanted || lower.length !== text.length) return [{ from: 0, part: text, isFound: false }];
  const parts: Part[] = [];
  let from = 0;
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, from)) {
    if (at > from) parts.push({ from, part: text.slice(from, at), isFound: false });
    parts.push({ from: at, part: text.slice(at, at + wanted.length), isFound: true });
    from = at + wanted.length;
  }
  if (from < text.length) parts.push({ from, part: text.slice(from), isFound: false });
  return parts;
}
