import type { Support } from './support.ts';
import type { TokenIndex } from './text/token-index.ts';
import type { Token } from './text/tokens.ts';

/**
 * A token that a text contains more often than another text. `neighbours` (0 to 2) counts its adjacent tokens
 * that are also adjacent in the other text.
 */
export interface Surplus {
  index: number;
  neighbours: number;
}

/**
 * Returns the tokens that a text contains more often than another text. Among equal tokens, those with the
 * fewest matching neighbours are returned.
 */
export function findSurplus(
  tokens: readonly Token[],
  support: readonly Support[],
  other: TokenIndex,
  isCounted: (token: Token, index: number) => boolean,
): Surplus[] {
  const places = new Map<number, number[]>();
  tokens.forEach((token, index) => {
    if (support[index] !== 'exact') return;
    const known = places.get(token.id);
    if (known) known.push(index);
    else places.set(token.id, [index]);
  });
  const surplus: Surplus[] = [];
  for (const own of places.values()) {
    const extra = own.length - other.count(tokens[own[0]!]!);
    if (extra <= 0) continue;
    const ranked = own
      .map((index) => ({ index, neighbours: countSharedNeighbours(tokens, index, other) }))
      .sort((a, b) => a.neighbours - b.neighbours || b.index - a.index);
    for (const each of ranked.slice(0, extra)) {
      if (isCounted(tokens[each.index]!, each.index)) surplus.push(each);
    }
  }
  return surplus;
}

export function countSharedNeighbours(tokens: readonly Token[], index: number, other: TokenIndex): number {
  const token = tokens[index]!;
  return (
    Number(index === 0 || other.hasPair(tokens[index - 1], token)) +
    Number(index === tokens.length - 1 || other.hasPair(token, tokens[index + 1]))
  );
}
