const LETTER = /\p{L}/u;
const USUAL_SIGN =
  /[\u2013\u2014\u2018-\u201e\u2026\u20ac\u00a0\u00a3\u00a7\u00a9\u00ab\u00ae\u00b0\u00b2\u00b3\u00b5\u00b7\u00bb-\u00bf\u00a1\u2022\u2122\u2116\u2039\u203a]/;
/** Matches apostrophes, soft hyphens and middle dots, which occur inside words. */
export const IN_WORDS = /[\u2019\u00ad\u00b7]/;
/** The general currency sign is hardly ever written. Newer encodings have the euro sign in its place. */
const CURRENCY_SIGN = '\u00a4';
const CONTROL = /[\u0080-\u009f]/;

/**
 * Returns the cost in bits of a character that is no letter of the language. `before` is the character in front
 * of it.
 */
export function countSignBits(sign: string, before: string): number {
  if (CONTROL.test(sign)) return 25;
  if (sign === CURRENCY_SIGN) return 16;
  if (IN_WORDS.test(sign)) return 7;
  if (LETTER.test(sign)) return 12;
  const isUsual = USUAL_SIGN.test(sign);
  if (LETTER.test(before))
    return /[\u00bb\u201c\u201d\u2026\u2122\u00ae\u00a0\u2013\u2014\u00b2\u00b3]/.test(sign) ? 8 : 14;
  return isUsual ? 7 : 11;
}
