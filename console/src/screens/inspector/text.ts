/** Markdown as one reads it: without the signs of headings, emphasis, links, figures and rules of tables. */
export function plainOf(markdown: string): string {
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
  /** Where it begins in the text. */
  from: number;
  part: string;
  isFound: boolean;
}

/** A text in parts, so that the words found in it, regardless of case, can be marked. */
export function splitAt(text: string, words: string): Part[] {
  const [lower, wanted] = [text.toLowerCase(), words.toLowerCase()];
  // Letters that change their length with their case would put the marks elsewhere.
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
