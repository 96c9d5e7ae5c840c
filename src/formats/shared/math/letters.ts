import type { MathNode, MathStyle } from './nodes.ts';
import { isInvisible, isKnownFunction } from './symbols.ts';

const TOKEN = /\d+(?:[.,]\d+)*|\p{L}\p{M}*|\s+|[^\p{L}\d\s]/gu;
const WORD = /^\p{L}{2,}$/u;

/** Splits a text in math mode into nodes: numbers, single letters, signs and spaces. */
export function readLetters(text: string, style?: MathStyle): MathNode[] {
  const nodes: MathNode[] = [];
  for (const [token] of text.matchAll(TOKEN)) {
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
