/**
 * Matches a word. In scripts that are written without spaces, a word has the usual number of letters: two in Chinese
 * and Japanese, four in Thai, Lao, Khmer and Burmese. Their punctuation ends a word.
 */
const WORD =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー]{1,2}|[\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]{1,4}|(?:(?![\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}ー\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}\u3001-\u303f\uff01-\uff0f\uff1a-\uff1f])\S)+/gu;
const ASCII = /^[\x20-\x7e\s]*$/;

/**
 * Counts the words of a text. Spaces separate words. In scripts without spaces, two Chinese or Japanese letters or four
 * Thai, Lao, Khmer or Burmese letters count as a word.
 */
export const countWords = (text: string): number => text.match(ASCII.test(text) ? /\S+/g : WORD)?.length ?? 0;
