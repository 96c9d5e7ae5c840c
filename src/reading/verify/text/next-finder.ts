/**
 * Returns a function that finds the next occurrence of a string, or -1 if there is none. With increasing
 * offsets, it scans the text only once per string.
 */
export function createNextFinder(text: string): (needle: string, from: number) => number {
  const known = new Map<string, number>();
  return (needle, from) => {
    const last = known.get(needle);
    if (last !== undefined && (last < 0 || last >= from)) return last;
    const found = text.indexOf(needle, from);
    known.set(needle, found);
    return found;
  };
}
