/**
 * Where a needle stands next, -1 when nowhere. Asked for places that only grow, it reads the text once for each
 * needle, however often it is asked.
 */
export function nextFinder(text: string): (needle: string, from: number) => number {
  const known = new Map<string, number>();
  return (needle, from) => {
    const last = known.get(needle);
    if (last !== undefined && (last < 0 || last >= from)) return last;
    const found = text.indexOf(needle, from);
    known.set(needle, found);
    return found;
  };
}
