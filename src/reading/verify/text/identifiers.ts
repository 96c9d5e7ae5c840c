import type { TokenIndex } from './token-index.ts';
import type { Token } from './tokens.ts';

/**
 * Minimum number of digits without separators from which a number counts as an identifier and not as an
 * amount.
 */
const LONG_NUMBER = 7;
const MIN_LETTERS = 6;

/**
 * Consecutive tokens without spaces that together form an identifier: letters with digits, or an e-mail
 * address.
 */
export interface Identifier {
  first: number;
  end: number;
  letters: string;
}

export function findIdentifiers(text: string, tokens: readonly Token[]): Identifier[] {
  const found: Identifier[] = [];
  let first = 0;
  for (let index = 1; index <= tokens.length; index++) {
    const token = tokens[index];
    if (token?.isTouching && token.kind !== 'unspaced' && tokens[index - 1]!.kind !== 'unspaced') continue;
    const identifier = toIdentifier(text, tokens, first, index);
    if (identifier) found.push(identifier);
    first = index;
  }
  return found;
}

function toIdentifier(
  text: string,
  tokens: readonly Token[],
  first: number,
  end: number,
): Identifier | undefined {
  const letters = tokens
    .slice(first, Math.min(end, first + 40))
    .map((token) => token.letters)
    .join('');
  const hasDigits = /\d/.test(letters);
  const hasLetters = /\p{L}/u.test(letters);
  if (end === first + 1) {
    const isLong =
      tokens[first]!.kind === 'number' && tokens[first]!.key === letters && letters.length >= LONG_NUMBER;
    return isLong || (hasDigits && hasLetters) ? { first, end, letters } : undefined;
  }
  const isAddress = text.slice(tokens[first]!.start, tokens[end - 1]!.end).includes('@');
  return (hasDigits && hasLetters) || isAddress ? { first, end, letters } : undefined;
}

/**
 * Returns whether the page contains all parts of the identifier together. Always returns true for short
 * identifiers.
 */
export const isContiguous = (identifier: Identifier, page: TokenIndex): boolean =>
  identifier.letters.length < MIN_LETTERS ||
  page.hasLetters(identifier.letters) ||
  page.hasRun(identifier.letters);
