/** Maximum length of a name that is compared, in characters. Longer names are not misspellings. */
const MAX_NAME_LENGTH = 64;

/** Returns the known name that was most likely meant by `name`, or `undefined` if none is similar. */
export function findNearestName(name: string, known: readonly string[]): string | undefined {
  if (name.length > MAX_NAME_LENGTH) return undefined;
  const bare = normalizeName(name);
  let nearest: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const candidate of known) {
    const other = normalizeName(candidate);
    // One letter in four may be wrong. Names of up to three letters must match, because otherwise all of them
    // would be similar.
    const most = Math.floor(Math.max(bare.length, other.length) / 4);
    const distance = editDistance(bare, other);
    if (distance <= most && distance < least) [nearest, least] = [candidate, distance];
  }
  return nearest;
}

/** Removes case and separators, so that `apiKey`, `API-key` and `api_key` are equal. */
const normalizeName = (name: string) => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

/**
 * Returns the edit distance of two names: the number of letters to insert, delete or replace. Two swapped
 * neighbouring letters count once.
 */
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
