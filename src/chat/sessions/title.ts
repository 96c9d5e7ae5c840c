const LONGEST = 80;

/** A question on one line, as the name of its conversation; a long one is cut where a word ends. */
export function titleOf(question: string): string {
  const line = [
    ...question
      .slice(0, 4 * LONGEST)
      .replaceAll(/\s+/gu, ' ')
      .trim(),
  ];
  if (line.length <= LONGEST) return line.join('');
  const cut = line.slice(0, LONGEST - 1).join('');
  const lastWord = cut.lastIndexOf(' ');
  return `${lastWord > LONGEST / 2 ? cut.slice(0, lastWord) : cut}…`;
}
