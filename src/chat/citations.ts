const CITATION = /\[(\d{1,3}(?:\s*[,;–-]\s*\d{1,3})*)\]/g;

/** A mark in a text: its place there, [start, end) in UTF-16 code units, and the numbers that it cites. */
export interface Mark {
  start: number;
  end: number;
  cited: number[];
}

/** One after the other, so that whoever has enough of them stops. */
export function* marksIn(text: string): Generator<Mark> {
  for (const { 0: mark, index } of text.matchAll(CITATION)) {
    yield { start: index, end: index + mark.length, cited: citedIn(mark) };
  }
}

/** The numbers that a text cites, as [1], [1, 2] or [1–3], each once, in the order of their first mention. */
export function citedIn(text: string): number[] {
  const cited = new Set<number>();
  for (const [, list] of text.matchAll(CITATION)) {
    for (const part of list!.split(/[,;]/)) {
      const [first, last] = part.split(/[–-]/).map(Number) as [number, number?];
      for (let number = first; number <= (last ?? first); number += 1) cited.add(number);
    }
  }
  return [...cited];
}
