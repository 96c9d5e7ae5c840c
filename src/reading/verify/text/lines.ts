import type { Word } from '#src/documents/document.ts';
import { type Ids, type Token, tokenize } from './tokens.ts';

/**
 * Tokenizes the printed lines of a page from left to right. Uses the positions of the words, and not their
 * order in the file.
 */
export function tokenizeLines(words: readonly Word[] | undefined, ids: Ids): Token[] {
  if (!words || words.length === 0) return [];
  const byMiddle = words
    .map((word) => ({ word, middle: word[2] + word[4] / 2 }))
    .sort((a, b) => a.middle - b.middle);
  const lines: Word[][] = [];
  let last: { middle: number; height: number } | undefined;
  for (const { word, middle } of byMiddle) {
    if (last && middle - last.middle <= Math.max(1, Math.min(last.height, word[4]) / 2))
      lines.at(-1)!.push(word);
    else {
      lines.push([word]);
      last = { middle, height: word[4] };
    }
  }
  const text = lines
    .map((line) =>
      line
        .sort((a, b) => a[1] - b[1])
        .map(([word]) => word)
        .join(' '),
    )
    .join('\n');
  return tokenize(text, ids);
}
