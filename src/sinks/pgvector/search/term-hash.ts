/** Number of terms whose hashes are remembered. */
const MAX_CACHED = 100_000;

/**
 * Hashes the terms of an index to integers of 53 bits, which are small to store and fast to compare. The id of
 * the index is part of each hash, so that indexes in one table share no terms.
 */
export function createTermHash(indexId: string): (term: string) => number {
  const cached = new Map<string, number>();
  const [first, second] = mix(0xdeadbeef, 0x41c6ce57, indexId);
  return (term) => {
    let hash = cached.get(term);
    if (hash === undefined) {
      const [high, low] = finish(...mix(first, second, term));
      hash = (high & 0x1fffff) * 2 ** 32 + low;
      if (cached.size >= MAX_CACHED) cached.clear();
      cached.set(term, hash);
    }
    return hash;
  };
}

type Lanes = [first: number, second: number];

function mix(first: number, second: number, text: string): Lanes {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    first = Math.imul(first ^ code, 2654435761);
    second = Math.imul(second ^ code, 1597334677);
  }
  return [first, second];
}

/** Spreads the influence of every letter over all bits of both lanes. */
function finish(first: number, second: number): Lanes {
  const spread = (one: number, other: number) =>
    Math.imul(one ^ (one >>> 16), 2246822507) ^ Math.imul(other ^ (other >>> 13), 3266489909);
  const high = spread(first, second);
  return [high >>> 0, spread(second, high) >>> 0];
}
