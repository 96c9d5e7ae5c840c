/** Letters of scripts that are written without spaces, by the usual number of letters of a word. */
const TWO = '\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}ー';
const FOUR = '\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}';
/** Punctuation that stands between words without a space. */
const WIDE_MARKS = '\\u3001-\\u303f\\uff01-\\uff0f\\uff1a-\\uff1f';
const WORD = new RegExp(`[${TWO}]{1,2}|[${FOUR}]{1,4}|(?:(?![${TWO}${FOUR}${WIDE_MARKS}])\\S)+`, 'gu');
const ASCII = /^[\x20-\x7e\s]*$/;

/**
 * Counts the words of a text. Spaces separate words. In scripts without spaces, two Chinese or Japanese letters or four
 * Thai, Lao, Khmer or Burmese letters count as a word.
 */
export const countWords = (text: string): number => text.match(ASCII.test(text) ? /\S+/g : WORD)?.length ?? 0;
