import type { MathNode } from './nodes.ts';
import { writePlain } from './plain.ts';

/** Matches the number of an equation, such as "(1)", "(2.3a)" or "[4]". */
const NUMBER = /^\s*[([]\s*([A-Z]?[.-]?\d{1,4}(?:[.-]\d{1,4}){0,3}[a-z]?)\s*[)\]]\s*$/;
/** Matches the number of an equation whose brackets are missing. */
const BARE = /^\s*([A-Z]?[.-]?\d{1,4}(?:[.-]\d{1,4}){0,3}[a-z]?)\s*$/;

/** Returns the number of an equation without its brackets, or `undefined` for other texts. */
export const parseEquationNumber = (text: string): string | undefined => NUMBER.exec(text)?.[1];

/** Returns the equation number that the nodes show, with or without brackets. */
export function readEquationNumber(items: MathNode[]): string | undefined {
  const text = items.map(writePlain).join('').slice(0, 80);
  return parseEquationNumber(text) ?? BARE.exec(text)?.[1];
}
