import type { Token } from './tokens.ts';

/** Fewer letters with a blank after each are initials, or cells of a table. */
const SHORTEST = 3;
/** A letter-spaced line has no more letters. */
const LONGEST = 60;

export interface SpacedRun {
  first: number;
  end: number;
  letters: string;
}

/** Letters of one line that are set with a blank after each: headings are. */
export function spacedRuns(tokens: readonly Token[]): SpacedRun[] {
  const runs: SpacedRun[] = [];
  let first = 0;
  for (let index = 0; index <= tokens.length; index++) {
    const token = tokens[index];
    const isOne = token !== undefined && token.letters.length === 1 && token.kind !== 'unspaced';
    if (isOne && index - first < LONGEST && !(token.isFirst && index > first)) continue;
    if (index - first >= SHORTEST) {
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
