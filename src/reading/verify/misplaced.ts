import type { Support } from './support.ts';
import type { Token } from './text/tokens.ts';

/** Neighbours of a page in one order of its tokens. */
interface Order {
  pairs: Set<number>;
  /** The place of what stands between two tokens, where it is the same each time. */
  between: Map<number, number>;
  tokens: readonly Token[];
}

/** Where two tokens have different ones between them. */
const SEVERAL = -1;

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
  const {
    pairs,
    between,
    tokens: page,
  } = orders
    .map((order) => orderOf(order, width))
    .map((order) => ({ ...order, followed: followed(tokens, order, width) }))
    .reduce((best, order) => (order.followed > best.followed ? order : best));
  const hasPair = (left: Token, right: Token) => pairs.has(left.id * width + right.id);
  const found: Misplaced[] = [];
  for (let index = 1; index + 1 < tokens.length; index++) {
    const token = tokens[index]!;
    if (!isValue(token) || support[index] !== 'as it is') continue;
    const [before, after] = [tokens[index - 1]!, tokens[index + 1]!];
    const place = between.get(before.id * width + after.id) ?? SEVERAL;
    const printed = page[place];
    if (printed && isOther(printed, token)) {
      // Where it may stand beside either neighbour elsewhere, more of them have to be the same.
      const isElsewhere = hasPair(before, token) || hasPair(token, after);
      if (!isElsewhere || isSurrounded(tokens, index, page, place)) {
        found.push({ index, printed });
        continue;
      }
    }
    if (hasPair(before, token)) continue;
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
  const between = new Map<number, number>();
  for (let index = 1; index < tokens.length; index++) {
    pairs.add(tokens[index - 1]!.id * width + tokens[index]!.id);
    if (index + 1 === tokens.length) break;
    const key = tokens[index - 1]!.id * width + tokens[index + 1]!.id;
    const known = between.get(key);
    if (known === undefined) between.set(key, index);
    else if (known !== SEVERAL && tokens[known]!.id !== tokens[index]!.id) between.set(key, SEVERAL);
  }
  return { pairs, between, tokens };
}

/** Another value of the same kind, and not the same word with a blank too many or too few. */
const isOther = (printed: Token, token: Token) =>
  printed.id !== token.id &&
  printed.kind === token.kind &&
  isValue(printed) &&
  (token.kind === 'number' ||
    !(printed.letters.includes(token.letters) || token.letters.includes(printed.letters)));

/** Whether the two next but one are the same as well. */
const isSurrounded = (tokens: readonly Token[], index: number, page: readonly Token[], place: number) =>
  [-2, 2].every((offset) => tokens[index + offset]?.id === page[place + offset]?.id);

const followed = (tokens: readonly Token[], { pairs }: Order, width: number) =>
  tokens.filter((token, index) => index > 0 && pairs.has(tokens[index - 1]!.id * width + token.id)).length;

const isValue = (token: Token) => token.kind === 'number' || token.kind === 'mixed' || token.isCapital;
