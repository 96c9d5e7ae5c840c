/** Names longer than this are nobody's misspelling. */
const LONGEST = 64;

/** The name of `known` that was most likely meant by `name`; undefined when none is near. */
export function nearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > LONGEST) return undefined;
  const bare = bareName(name);
  let nearest: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const other = bareName(candidate);
    // One letter in four may be wrong: of short names none is, or all of them would be near.
    const most = Math.floor(Math.max(bare.length, other.length) / 4);
    const distance = editDistance(bare, other);
    if (distance <= most && distance < least) [nearest, least] = [candidate, distance];
  }
  return nearest;
}

/** `apiKey`, `API-key` and `api_key` are one name. */
const bareName = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/** Letters to put in, to take out or to change; two neighbours that changed places count once. */
function editDistance(one: string, other: string): number {
  let before: number[] = [];
  let above = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const same = one[row - 1] === other[column - 1];
      let least = Math.min(above[column]! + 1, current[column - 1]! + 1, above[column - 1]! + (same ? 0 : 1));
      const swapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      if (swapped && row > 1 && column > 1) least = Math.min(least, before[column - 2]! + 1);
      current.push(least);
    }
    [before, above] = [above, current];
  }
  return above[other.length]!;
}
