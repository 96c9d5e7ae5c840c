/** Measures of a read text against a true one. */

/**
 * Returns the smallest number of insertions and deletions that turn `wanted` into some part of `text`.
 * If `limit` is exceeded everywhere, any number above it may be returned.
 */
export function measureDistanceToPart(wanted: string, text: string, limit: number): number {
  if (limit === 0) return text.includes(wanted) ? 0 : 1;
  const [pattern, letters] = [[...wanted], [...text]];
  let before = pattern.map((_, at) => at + 1);
  let best = pattern.length;
  for (const letter of letters) {
    const now: number[] = [];
    for (const [at, expected] of pattern.entries()) {
      const diagonal = at === 0 ? 0 : before[at - 1]!;
      const left = at === 0 ? 0 : now[at - 1]!;
      now.push(expected === letter ? diagonal : Math.min(before[at]!, left) + 1);
    }
    best = Math.min(best, now.at(-1)!);
    before = now;
  }
  return best;
}

/** Returns twice the length of the longest common subsequence, divided by the length of both texts. */
export function measureSimilarity(one: string, other: string): number {
  const [a, b] = [[...one], [...other]];
  if (a.length + b.length === 0) return 1;
  let before = new Uint32Array(b.length + 1);
  for (const letter of a) {
    const now = new Uint32Array(b.length + 1);
    for (const [at, expected] of b.entries()) {
      now[at + 1] = letter === expected ? before[at]! + 1 : Math.max(before[at + 1]!, now[at]!);
    }
    before = now;
  }
  return (2 * before.at(-1)!) / (a.length + b.length);
}

/** Returns the Levenshtein distance divided by the length of the longer text. Zero means equal texts. */
export function measureEditDistance(one: string, other: string): number {
  const [a, b] = [[...one], [...other]];
  if (a.length === 0 || b.length === 0) return a.length === b.length ? 0 : 1;
  let before = Uint32Array.from({ length: b.length + 1 }, (_, at) => at);
  for (const [row, letter] of a.entries()) {
    const now = new Uint32Array(b.length + 1);
    now[0] = row + 1;
    for (const [at, expected] of b.entries()) {
      const replaced = before[at]! + (letter === expected ? 0 : 1);
      now[at + 1] = Math.min(before[at + 1]! + 1, now[at]! + 1, replaced);
    }
    before = now;
  }
  return before.at(-1)! / Math.max(a.length, b.length);
}

/** Returns the F1 of the words of a text. Case and the order of the words do not matter. */
export function measureWordF1(read: string, truth: string): number {
  const split = (text: string) =>
    text
      .normalize('NFKC')
      .toLowerCase()
      .match(/[\p{L}\p{M}\p{N}]+/gu) ?? [];
  const [found, expected] = [split(read), split(truth)];
  const left = new Map<string, number>();
  for (const word of expected) left.set(word, (left.get(word) ?? 0) + 1);
  let right = 0;
  for (const word of found) {
    const count = left.get(word) ?? 0;
    if (count > 0) right++;
    left.set(word, count - 1);
  }
  return (2 * right) / Math.max(1, found.length + expected.length);
}
