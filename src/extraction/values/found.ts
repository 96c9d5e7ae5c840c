/** A typed value and where it was read: `text` is `source.slice(start, end)`; quality 0..1 is the pattern's own certainty. */
export interface Found<Value = unknown> {
  value: Value;
  text: string;
  start: number;
  end: number;
  quality: number;
}

/** Every match of a global pattern that `read` accepts. */
export function findAll<Value>(
  source: string,
  pattern: RegExp,
  quality: number,
  read: (match: RegExpMatchArray) => Value | undefined,
): Found<Value>[] {
  const found: Found<Value>[] = [];
  for (const match of source.matchAll(pattern)) {
    const value = read(match);
    if (value === undefined) continue;
    found.push({ value, text: match[0], start: match.index, end: match.index + match[0].length, quality });
  }
  return found;
}

/** Keeps the best of overlapping finds: the longer, then the earlier one. */
export function withoutOverlaps<Value>(found: Found<Value>[]): Found<Value>[] {
  const byLength = [...found].sort(
    (left, right) => right.end - right.start - (left.end - left.start) || left.start - right.start,
  );
  const covered = new Uint8Array(found.reduce((most, { end }) => Math.max(most, end), 0));
  const kept: Found<Value>[] = [];
  for (const item of byLength) {
    // One that was kept is no shorter: where the two overlap, it covers an end of this one.
    if (covered[item.start] || covered[item.end - 1]) continue;
    covered.fill(1, item.start, item.end);
    kept.push(item);
  }
  return kept.sort((left, right) => left.start - right.start);
}
