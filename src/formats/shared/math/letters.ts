import type { MathNode, MathStyle } from './nodes.ts';
import { isInvisible, isKnownFunction } from './symbols.ts';

const WORD = /^\p{L}{2,}$/u;

const isDigit = (character: string | undefined) => character !== undefined && /^\d$/.test(character);

/** Splits a text into numbers with their decimal points, letters with their accents, signs and spaces. */
function splitTokens(text: string): string[] {
  const characters = [...text];
  const tokens: string[] = [];
  let open: string[] = [];
  let isNumber = false;
  let isSpace = false;
  for (const [at, character] of characters.entries()) {
    const isPoint = /^[.,]$/.test(character) && isDigit(characters[at - 1]) && isDigit(characters[at + 1]);
    const isBlank = character.trim() === '';
    const isMark = /^\p{M}$/u.test(character);
    const continues = (isNumber && (isDigit(character) || isPoint)) || (isSpace && isBlank) || isMark;
    if (!continues) {
      if (open.length > 0) tokens.push(open.join(''));
      open = [];
      isNumber = isDigit(character);
      isSpace = isBlank;
    }
    open.push(character);
  }
  if (open.length > 0) tokens.push(open.join(''));
  return tokens;
}

/** Splits a text in math mode into nodes: numbers, single letters, signs and spaces. */
export function readLetters(text: string, style?: MathStyle): MathNode[] {
  const nodes: MathNode[] = [];
  for (const token of splitTokens(text)) {
    if (token.trim() === '') nodes.push({ kind: 'space' });
    else if (!isInvisible(token)) nodes.push({ kind: 'leaf', text: token, style });
  }
  return nodes;
}

/** Reads a name, such as "x" or "sin". A name of several letters becomes a single upright word. */
export function readName(text: string, style?: MathStyle): MathNode[] {
  const name = text.trim();
  if (isKnownFunction(name)) return [{ kind: 'word', text: name }];
  if (WORD.test(name)) return [{ kind: 'word', text: name, style: style ?? 'upright' }];
  return readLetters(name, style);
}

/** Reads upright text in math mode. Words in the text become names, and other characters single signs. */
export function readUpright(text: string, style: MathStyle | undefined): MathNode[] {
  return text
    .split(/(\p{Script=Latin}{2,})/u)
    .flatMap((part) =>
      part === '' ? [] : WORD.test(part) ? readName(part, style) : readLetters(part, style),
    );
}
