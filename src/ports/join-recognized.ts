const ENDS_WITHOUT_SPACE =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\u3000-\u303f\uff00-\uffef]$/u;
const STARTS_WITHOUT_SPACE =
  /^[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\u3000-\u303f\uff00-\uffef]/u;

/** Returns whether a word ends in a script without spaces between words. */
export const endsWithoutSpace = (word: string): boolean => ENDS_WITHOUT_SPACE.test(word);

/** Returns whether a word starts in a script without spaces between words. */
export const startsWithoutSpace = (word: string): boolean => STARTS_WITHOUT_SPACE.test(word);

/** Returns whether two words are joined without a space, because their script has none between words. */
const needsNoSpace = (before: string, after: string) => endsWithoutSpace(before) && startsWithoutSpace(after);

/** Joins the words of a line with spaces, except in scripts without spaces. */
export function joinWords(words: readonly string[]): string {
  let [text, last] = ['', ''];
  for (const word of words) {
    text += text === '' || needsNoSpace(last, word) ? word : ` ${word}`;
    last = word;
  }
  return text;
}

/** Joins lines of text. A word that is hyphenated at the end of a line becomes one word again. */
export function joinLines(lines: readonly string[]): string {
  return lines.reduce((text, line) => {
    if (/\p{L}{2}[-\u2010]$/u.test(text) && /^\p{Ll}/u.test(line)) return text.slice(0, -1) + line;
    return text === '' || needsNoSpace(text, line) ? text + line : `${text} ${line}`;
  }, '');
}
