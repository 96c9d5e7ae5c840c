/** Combining characters of accents that fonts draw as characters of their own. */
const COMBINING: ReadonlyMap<string, string> = new Map([
  ['`', '\u0300'],
  ['´', '\u0301'],
  ['ˆ', '\u0302'],
  ['^', '\u0302'],
  ['˜', '\u0303'],
  ['~', '\u0303'],
  ['¯', '\u0304'],
  ['ˉ', '\u0304'],
  ['˘', '\u0306'],
  ['˙', '\u0307'],
  ['¨', '\u0308'],
  ['˚', '\u030a'],
  ['˝', '\u030b'],
  ['ˇ', '\u030c'],
  ['¸', '\u0327'],
  ['˛', '\u0328'],
]);
const DOTLESS: ReadonlyMap<string, string> = new Map([
  ['ı', 'i'],
  ['ȷ', 'j'],
]);
/** The bar and the arrow with which TeX draws one sign. */
const BAR = '↦';

const SMALL_A = 0x61;
const SMALL_Z = 0x7a;

const isCombining = (text: string) => text >= '\u0300' && text <= '\u0338' && text.length === 1;

/** Returns whether a character may be the accent of a letter that is drawn before or after it. */
export function isAccent(text: string): boolean {
  const code = text.charCodeAt(0);
  // Most letters of a page are these, so no other comparison is made for them.
  if (code >= SMALL_A && code <= SMALL_Z) return false;
  return COMBINING.has(text) || isCombining(text) || text === BAR;
}

/**
 * Returns the character that an accent and a letter drawn over each other show. Returns `undefined` if there is
 * no such character.
 */
export function composeLetter(accent: string, letter: string): string | undefined {
  if (accent === BAR) return letter === '→' ? BAR : undefined;
  const mark = COMBINING.get(accent) ?? accent;
  const composed = ((DOTLESS.get(letter) ?? letter) + mark).normalize('NFC');
  return [...composed].length === 1 ? composed : undefined;
}
