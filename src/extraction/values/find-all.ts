/**
 * A typed value that was found in a source text. `text` is `source.slice(start, end)`. `quality` is the
 * reliability of the pattern that found the value, from 0 to 1.
 */
export interface Found<Value = unknown> {
  value: Value;
  text: string;
  start: number;
  end: number;
  quality: number;
}

/**
 * Returns a value for every match of a global regular expression. Matches for which `read` returns
 * `undefined` are skipped.
 */
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

/** Removes overlapping matches. The longest match is kept. Of two equally long matches, the first is kept. */
export function removeOverlaps<Value>(found: Found<Value>[]): Found<Value>[] {
  const byLength = [...found].sort(
    (left, right) => right.end - right.start - (left.end - left.start) || left.start - right.start,
  );
  const covered = new Uint8Array(found.reduce((most, { end }) => Math.max(most, end), 0));
  const selected: Found<Value>[] = [];
  for (const item of byLength) {
    // Matches are processed from longest to shortest. An earlier match that overlaps this one therefore
    // covers its start or its end.
    if (covered[item.start] || covered[item.end - 1]) continue;
    covered.fill(1, item.start, item.end);
    selected.push(item);
  }
  return selected.sort((left, right) => left.start - right.start);
}
