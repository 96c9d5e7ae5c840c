import { TOKEN_PIECES } from '#src/tokenizer/tokenizer.ts';
import type { ChunkTools } from './chunker.ts';
import type { Pace } from './pace.ts';

/**
 * Measures parts of one text. `size` is fast and additive. `exact` counts a part by itself, which may give a
 * slightly different number.
 */
export interface Measure {
  size(start: number, end: number): number;
  exact(start: number, end: number): number;
}

export const characterMeasure: Measure = {
  size: (start, end) => end - start,
  exact: (start, end) => end - start,
};

/**
 * Counts the tokens of a text once. The size of any range of the text can then be found with two binary
 * searches.
 */
export async function createTokenMeasure(
  text: string,
  tools: Pick<ChunkTools, 'countTokens'>,
  pace: Pace,
): Promise<Measure> {
  const starts: number[] = [];
  const before: number[] = [0];
  let total = 0;
  for (const match of text.matchAll(TOKEN_PIECES)) {
    if (pace.isDue()) await pace.pause();
    // A word is counted together with the preceding space, but the text is split after that space.
    const leadingSpace = match[0].length > 1 && match[0][0] === ' ' ? 1 : 0;
    starts.push(match.index + leadingSpace);
    total += tools.countTokens(match[0]);
    before.push(total);
  }
  const countPiecesBefore = (position: number): number => {
    let low = 0;
    let high = starts.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (starts[middle]! < position) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  const exact = (start: number, end: number) => tools.countTokens(text.slice(start, end));
  return {
    exact,
    size(start, end) {
      if (end <= start) return 0;
      const from = countPiecesBefore(start);
      let to = countPiecesBefore(end);
      const firstWhole = starts[from] ?? text.length;
      if (firstWhole >= end) return exact(start, end);
      let tokens = firstWhole > start ? exact(start, firstWhole) : 0;
      // If the range ends inside a piece, the beginning of that piece is counted separately. A difference of
      // one character is only the space of the next word.
      if ((starts[to] ?? text.length) - end > 1) {
        to--;
        tokens += exact(starts[to]!, end);
      }
      return tokens + before[to]! - before[from]!;
    },
  };
}
