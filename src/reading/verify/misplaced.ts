import type { Support } from './support.ts';
import type { Token } from './text/tokens.ts';

/** The tokens of a page in one reading order, with their pairs of neighbouring tokens. */
interface Order {
  pairs: Set<number>;
  /**
   * Maps a pair of tokens to the index of the token printed between them. The value is `AMBIGUOUS` if
   * different tokens occur between them.
   */
  between: Map<number, number>;
  tokens: readonly Token[];
}

/** Value for a pair of tokens that occurs several times with different tokens between them. */
const AMBIGUOUS = -1;

export interface Misplaced {
  index: number;
  printed: Token;
}

/**
 * Returns values of the output that the page prints elsewhere, while it prints another value of the same kind
 * between the same neighbours. Examples are exchanged cells and numbers from another line. If there are
 * several reading orders, the one closest to the output is used.
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
      // The page may also print the value next to one of these neighbours. In that case the tokens two
      // positions away must match as well.
      const isElsewhere = hasPair(before, token) || hasPair(token, after);
      if (!isElsewhere || isSurrounded(tokens, index, page, place)) {
        found.push({ index, printed });
        continue;
      }
    }
    if (hasPair(before, token)) continue;
    const next = tokens[index + 2];
    // Whether the output contains two neighbouring values in reverse order.
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
 * Returns whether two tokens are different values of the same kind. Words that differ only in their spaces
 * are not different.
 */
const isDifferentValue = (printed: Token, token: Token) =>
  printed.id !== token.id &&
  printed.kind === token.kind &&
  isValue(printed) &&
  (token.kind === 'number' ||
    !(printed.letters.includes(token.letters) || token.letters.includes(printed.letters)));

const isSurrounded = (tokens: readonly Token[], index: number, page: readonly Token[], place: number) =>
  [-2, 2].every((offset) => tokens[index + offset]?.id === page[place + offset]?.id);

const countFollowedPairs = (tokens: readonly Token[], { pairs }: Order, width: number) =>
  tokens.filter((token, index) => index > 0 && pairs.has(tokens[index - 1]!.id * width + token.id)).length;

const isValue = (token: Token) => token.kind === 'number' || token.kind === 'mixed' || token.isCapital;
