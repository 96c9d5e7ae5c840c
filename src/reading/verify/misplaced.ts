import type { Support } from './support.ts';
import type { Token } from './text/tokens.ts';

/** Pairs of neighbouring tokens of a page, in one reading order. */
interface Order {
  pairs: Set<number>;
  /** Index of the token between two tokens, or `AMBIGUOUS` if different tokens occur between them. */
  between: Map<number, number>;
  tokens: readonly Token[];
}

/** Marks two tokens that have different tokens between them in several places. */
const AMBIGUOUS = -1;

export interface Misplaced {
  index: number;
  printed: Token;
}

/**
 * Returns values that the page prints elsewhere, while it prints another value of the same kind between their
 * neighbours. Examples are exchanged cells and numbers taken from another line. Of several reading orders,
 * the one that the output follows most closely is used.
 */
export function findMisplaced(
  tokens: readonly Token[],
  support: readonly Support[],
  orders: readonly (readonly Token[])[],
  width: number,
): Misplaced[] {
  const {
    pairs,
    between,
    tokens: page,
  } = orders
    .map((order) => indexOrder(order, width))
    .map((order) => ({ ...order, followed: countFollowedPairs(tokens, order, width) }))
    .reduce((best, order) => (order.followed > best.followed ? order : best));
  const hasPair = (left: Token, right: Token) => pairs.has(left.id * width + right.id);
  const found: Misplaced[] = [];
  for (let index = 1; index + 1 < tokens.length; index++) {
    const token = tokens[index]!;
    if (!isValue(token) || support[index] !== 'exact') continue;
    const [before, after] = [tokens[index - 1]!, tokens[index + 1]!];
    const place = between.get(before.id * width + after.id) ?? AMBIGUOUS;
    const printed = page[place];
    if (printed && isDifferentValue(printed, token)) {
      // If the page also prints the value next to one of these neighbours, the tokens two positions away must
      // match as well.
      const isElsewhere = hasPair(before, token) || hasPair(token, after);
      if (!isElsewhere || isSurrounded(tokens, index, page, place)) {
        found.push({ index, printed });
        continue;
      }
    }
    if (hasPair(before, token)) continue;
    const next = tokens[index + 2];
    // Two neighbouring values in reverse order.
    const isSwapped =
      isValue(after) &&
      after.kind === token.kind &&
      !hasPair(token, after) &&
      hasPair(before, after) &&
      hasPair(after, token) &&
      (next === undefined || (!hasPair(after, next) && hasPair(token, next)));
    if (isSwapped) found.push({ index, printed: after }, { index: index + 1, printed: token });
  }
  return found;
}

function indexOrder(tokens: readonly Token[], width: number): Order {
  const pairs = new Set<number>();
  const between = new Map<number, number>();
  for (let index = 1; index < tokens.length; index++) {
    pairs.add(tokens[index - 1]!.id * width + tokens[index]!.id);
    if (index + 1 === tokens.length) break;
    const key = tokens[index - 1]!.id * width + tokens[index + 1]!.id;
    const known = between.get(key);
    if (known === undefined) between.set(key, index);
    else if (known !== AMBIGUOUS && tokens[known]!.id !== tokens[index]!.id) between.set(key, AMBIGUOUS);
  }
  return { pairs, between, tokens };
}

/**
 * Returns whether two tokens are different values of the same kind. Words that only differ by a missing or
 * extra space are not different.
 */
const isDifferentValue = (printed: Token, token: Token) =>
  printed.id !== token.id &&
  printed.kind === token.kind &&
  isValue(printed) &&
  (token.kind === 'number' ||
    !(printed.letters.includes(token.letters) || token.letters.includes(printed.letters)));

/** Returns whether the tokens two positions before and after match as well. */
const isSurrounded = (tokens: readonly Token[], index: number, page: readonly Token[], place: number) =>
  [-2, 2].every((offset) => tokens[index + offset]?.id === page[place + offset]?.id);

const countFollowedPairs = (tokens: readonly Token[], { pairs }: Order, width: number) =>
  tokens.filter((token, index) => index > 0 && pairs.has(tokens[index - 1]!.id * width + token.id)).length;

const isValue = (token: Token) => token.kind === 'number' || token.kind === 'mixed' || token.isCapital;
