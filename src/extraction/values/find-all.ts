/**
 * A typed value with its place in the source: `text` is `source.slice(start, end)`. `quality` from 0 to 1
 * says how certain the pattern is.
 */
export interface Found<Value = unknown> {
  value: Value;
  text: string;
  start: number;
  end: number;
  quality: number;
}

/** Returns every match of a global pattern for which `read` returns a value. */
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

/** Removes overlapping matches. The longer match is kept, and the earlier one of equal length. */
export function removeOverlaps<Value>(found: Found<Value>[]): Found<Value>[] {
  const byLength = [...found].sort(
    (left, right) => right.end - right.start - (left.end - left.start) || left.start - right.start,
  );
  const covered = new Uint8Array(found.reduce((most, { end }) => Math.max(most, end), 0));
  const selected: Found<Value>[] = [];
  for (const item of byLength) {
    // A selected match is at least as long as this one, so an overlap covers the start or the end of this
    // match.
    if (covered[item.start] || covered[item.end - 1]) continue;
    covered.fill(1, item.start, item.end);
    selected.push(item);
  }
  return selected.sort((left, right) => left.start - right.start);
}
