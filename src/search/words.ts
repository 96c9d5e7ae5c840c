import { foldLetters } from './letters.ts';

/**
 * Scripts that are indexed as single letters and overlapping pairs, because each letter carries much meaning.
 * Hangul is included because its words are compounds.
 */
const PAIRED = '\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}';
/**
 * Alphabets written without spaces, indexed as overlapping pairs and triples because a single letter means
 * nothing.
 */
const UNSPACED = '\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}';
const WORD = new RegExp(
  `([${PAIRED}ー]+)|([${UNSPACED}]+)|(?:(?![${PAIRED}${UNSPACED}])[\\p{L}\\p{M}\\p{N}])+`,
  'gu',
);
const ASCII = /^[\x20-\x7e\s]*$/;
const ASCII_WORD = /[a-z0-9]+/g;
/**
 * Maximum length of a word in UTF-16 units. Longer runs are encoded data, and dropping them keeps the keys of
 * the term table short.
 */
const MAX_WORD_LENGTH = 64;

const smallLetters = (text: string) => text.toLowerCase();

/**
 * Returns the lower-cased words of a text in order. Scripts without spaces yield single letters, pairs and
 * triples.
 */
export function splitIntoWords(source: string, lower = smallLetters): string[] {
  const text = source.includes('<su') ? dropScriptTags(source) : source;
  if (ASCII.test(text))
    return (lower(text).match(lower === smallLetters ? ASCII_WORD : WORD) ?? []).filter(
      (word) => word.length <= MAX_WORD_LENGTH,
    );
  const found: string[] = [];
  for (const match of foldLetters(text, lower).matchAll(WORD)) {
    const [word, paired, unspaced] = match;
    if (paired !== undefined) addLetterRuns(found, paired, [1, 2]);
    else if (unspaced !== undefined) addLetterRuns(found, unspaced, [2, 3]);
    else if (word.length <= MAX_WORD_LENGTH) found.push(word);
  }
  return found;
}

/**
 * Removes the tags of subscripts and superscripts. A subscript joins its word, as in formulas of chemistry. A superscript
 * becomes a word of its own, as in "10^6".
 */
const dropScriptTags = (text: string) => text.replace(/<\/?sub>|<\/sup>/g, '').replaceAll('<sup>', '^');

/**
 * Adds all letter runs of the given lengths, ordered by their start. A text shorter than the shortest length
 * is added whole.
 */
function addLetterRuns(found: string[], text: string, sizes: number[]): void {
  const letters = [...text];
  const shortest = Math.min(sizes[0]!, letters.length);
  for (let at = 0; at + shortest <= letters.length; at++) {
    found.push(letters.slice(at, at + shortest).join(''));
    for (const size of sizes.slice(1)) {
      if (at + size <= letters.length) found.push(letters.slice(at, at + size).join(''));
    }
  }
}

/**
 * Matches words with little meaning of their own: a Hangul syllable, or two letters of an alphabet without
 * spaces.
 */
const WEAK_WORD = new RegExp(`^(?:\\p{sc=Hangul}|[${UNSPACED}]{2})$`, 'u');
const WEAK_SHARE = 0.2;

/**
 * Returns the factor for the inverse document frequency of a query word. Words with little meaning of their
 * own get a lower factor.
 */
export function getIdfShare(word: string): number {
  return WEAK_WORD.test(word) ? WEAK_SHARE : 1;
}

const NGRAM_LENGTH = 4;
/** Matches words that can be inflected, which excludes numbers and codes. */
const INFLECTED = /^[\p{L}\p{M}]+$/u;
const UNSEPARATED_SCRIPT = new RegExp(`[${PAIRED}${UNSPACED}]`, 'u');

/**
 * Returns the overlapping four-letter runs of a word, with `_` marking its start. Inflected forms of a word
 * share most of them, which stands in for a stemmer. Returns an empty array for numbers, codes, scripts
 * without spaces and words of fewer than four letters.
 */
export function splitIntoNgrams(word: string): string[] {
  const letters = [...word];
  if (letters.length < NGRAM_LENGTH || !INFLECTED.test(word) || UNSEPARATED_SCRIPT.test(word)) return [];
  const marked = ['_', ...letters];
  return Array.from({ length: marked.length - NGRAM_LENGTH + 1 }, (_, at) =>
    marked.slice(at, at + NGRAM_LENGTH).join(''),
  );
}
