import type { Token } from './tokens.ts';

/**
 * Minimum number of letters of a letter-spaced word. Shorter sequences of single letters are initials or
 * table cells.
 */
const MIN_LETTERS = 3;
const MAX_LETTERS = 60;

export interface SpacedRun {
  first: number;
  end: number;
  letters: string;
}

/**
 * Returns letter-spaced words: sequences of single letters in one line with a space after each, as in some
 * headings.
 */
export function findSpacedRuns(tokens: readonly Token[]): SpacedRun[] {
  const runs: SpacedRun[] = [];
  let first = 0;
  for (let index = 0; index <= tokens.length; index++) {
    const token = tokens[index];
    const isOne = token !== undefined && token.letters.length === 1 && token.kind !== 'unspaced';
    if (isOne && index - first < MAX_LETTERS && !(token.isFirst && index > first)) continue;
    if (index - first >= MIN_LETTERS) {
      const letters = tokens
        .slice(first, index)
        .map((each) => each.letters)
        .join('');
      runs.push({ first, end: index, letters });
    }
    first = isOne ? index : index + 1;
  }
  return runs;
}
