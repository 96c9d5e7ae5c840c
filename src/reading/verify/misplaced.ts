import type { Support } from './support.ts';
import type { Token } from './tokens.ts';

/** Neighbours of a page in one order of its tokens. */
interface Order {
  pairs: Set<number>;
  /** What stands between two tokens, where it is the same each time. */
  between: Map<number, Token | null>;
}

export interface Misplaced {
  index: number;
  printed: Token;
}

/**
 * Values that the page has elsewhere, while between their neighbours it has another of their kind: exchanged cells, a
 * number or name taken from another line. Of the orders of a page, the one that the output follows most is asked.
 */
export function misplacedIn(
  tokens: readonly Token[],
  support: readonly Support[],
  orders: readonly (readonly Token[])[],
  width: number,
): Misplaced[] {
  const { pairs, between } = orders
    .map((order) => orderOf(order, width))
    .map((order) => ({ ...order, followed: followed(tokens, order, width) }))
    .reduce((best, order) => (order.followed > best.followed ? order : best));
  const hasPair = (left: Token, right: Token) => pairs.has(left.id * width + right.id);
  const found: Misplaced[] = [];
  for (let index = 1; index + 1 < tokens.length; index++) {
    const token = tokens[index]!;
    if (!isValue(token) || support[index] !== 'as it is') continue;
    const [before, after] = [tokens[index - 1]!, tokens[index + 1]!];
    if (hasPair(before, token)) continue;
    if (!hasPair(token, after)) {
      const printed = between.get(before.id * width + after.id);
      if (printed && printed.kind === token.kind && isValue(printed)) found.push({ index, printed });
    }
    const next = tokens[index + 2];
    // Two that stand side by side, the other way round
    const isTurned =
      isValue(after) &&
      after.kind === token.kind &&
      !hasPair(token, after) &&
      hasPair(before, after) &&
      hasPair(after, token) &&
      (next === undefined || (!hasPair(after, next) && hasPair(token, next)));
    if (isTurned) found.push({ index, printed: after }, { index: index + 1, printed: token });
  }
  return found;
}

function orderOf(tokens: readonly Token[], width: number): Order {
  const pairs = new Set<number>();
  const between = new Map<number, Token | null>();
  for (let index = 1; index < tokens.length; index++) {
    pairs.add(tokens[index - 1]!.id * width + tokens[index]!.id);
    if (index + 1 === tokens.length) break;
    const key = tokens[index - 1]!.id * width + tokens[index + 1]!.id;
    const known = between.get(key);
    if (known === undefined) between.set(key, tokens[index]!);
    else if (known !== null && known.id !== tokens[index]!.id) between.set(key, null);
  }
  return { pairs, between };
}

const followed = (tokens: readonly Token[], { pairs }: Order, width: number) =>
  tokens.filter((token, index) => index > 0 && pairs.has(tokens[index - 1]!.id * width + token.id)).length;

const isValue = (token: Token) => token.kind === 'number' || token.kind === 'mixed' || token.isCapital;
