import type { TokenIndex } from './token-index.ts';
import type { Token } from './tokens.ts';

/** As many digits without a mark are no amount. */
const LONG_NUMBER = 7;
const SHORTEST = 6;

/** Tokens without a blank between them that are an identifier together: letters and digits, or an address. */
export interface Identifier {
  first: number;
  end: number;
  letters: string;
}

export function identifiersOf(text: string, tokens: readonly Token[]): Identifier[] {
  const found: Identifier[] = [];
  let first = 0;
  for (let index = 1; index <= tokens.length; index++) {
    const token = tokens[index];
    if (token?.isTouching && token.kind !== 'unspaced' && tokens[index - 1]!.kind !== 'unspaced') continue;
    const identifier = identifierOf(text, tokens, first, index);
    if (identifier) found.push(identifier);
    first = index;
  }
  return found;
}

function identifierOf(
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

/** Whether parts that are all on the page stand on it together too. Short ones are not asked. */
export const isTogether = (identifier: Identifier, page: TokenIndex): boolean =>
  identifier.letters.length < SHORTEST ||
  page.hasLetters(identifier.letters) ||
  page.hasRun(identifier.letters);
