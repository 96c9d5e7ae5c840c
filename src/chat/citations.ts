const CITATION = /\[(\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*)\]/g;

/**
 * Citation mark such as [1, 2] in a text. `start` and `end` are offsets in UTF-16 code units, and `end` is
 * exclusive.
 */
export interface Mark {
  start: number;
  end: number;
  cited: number[];
}

export function* findMarks(text: string): Generator<Mark> {
  for (const { 0: mark, index } of text.matchAll(CITATION)) {
    yield { start: index, end: index + mark.length, cited: listCitedNumbers(mark) };
  }
}

/**
 * Returns the numbers that a text cites as [1], [1, 2] or [1–3]. Each number is returned once, in the order
 * of its first mention.
 */
export function listCitedNumbers(text: string): number[] {
  const cited = new Set<number>();
  for (const [, list] of text.matchAll(CITATION)) {
    for (const part of list!.split(/[,;]/)) {
      const [first, last] = part.split(/[–-]/).map(Number) as [number, number?];
      for (let number = first; number <= (last ?? first); number += 1) cited.add(number);
    }
  }
  return [...cited];
}
