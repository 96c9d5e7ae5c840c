import { foldLetters } from './letters.ts';

/** Scripts whose letters mean much (and Hangul, whose words are compounds): indexed as letters and overlapping pairs. */
const PAIRED = '\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}';
/** Alphabets written without spaces, where one letter means nothing: indexed as overlapping pairs and triples. */
const UNSPACED = '\\p{sc=Thai}\\p{sc=Lao}\\p{sc=Khmer}\\p{sc=Myanmar}';
const WORD = new RegExp(
  `([${PAIRED}ー]+)|([${UNSPACED}]+)|(?:(?![${PAIRED}${UNSPACED}])[\\p{L}\\p{M}\\p{N}])+`,
  'gu',
);
const ASCII = /^[\x20-\x7e\s]*$/;
const ASCII_WORD = /[a-z0-9]+/g;
/** Longer ones are encoded data, not words; the term table's keys stay short. */
const LONGEST_WORD = 64;

const smallLetters = (text: string) => text.toLowerCase();

/** The words of a text in order, lower-cased; letters, pairs and triples of them for scripts without spaces. */
export function words(text: string, lower = smallLetters): string[] {
  if (ASCII.test(text))
    return (lower(text).match(lower === smallLetters ? ASCII_WORD : WORD) ?? []).filter(
      (word) => word.length <= LONGEST_WORD,
    );
  const found: string[] = [];
  for (const match of foldLetters(text, lower).matchAll(WORD)) {
    const [word, paired, unspaced] = match;
    if (paired !== undefined) addRuns(found, paired, [1, 2]);
    else if (unspaced !== undefined) addRuns(found, unspaced, [2, 3]);
    else if (word.length <= LONGEST_WORD) found.push(word);
  }
  return found;
}

/** All runs of so many letters, by where they start; a text shorter than any of them is its own. */
function addRuns(found: string[], text: string, sizes: number[]): void {
  const letters = [...text];
  const shortest = Math.min(sizes[0]!, letters.length);
  for (let at = 0; at + shortest <= letters.length; at++) {
    found.push(letters.slice(at, at + shortest).join(''));
    for (const size of sizes.slice(1)) {
      if (at + size <= letters.length) found.push(letters.slice(at, at + size).join(''));
    }
  }
}

/** What says little by itself: a syllable of Hangul, two letters of an alphabet without spaces. */
const WEAK = new RegExp(`^(?:\\p{sc=Hangul}|[${UNSPACED}]{2})$`, 'u');
const WEAK_SHARE = 0.2;

/** How much of its rarity a word of a query counts. */
export function shareOf(word: string): number {
  return WEAK.test(word) ? WEAK_SHARE : 1;
}

const GRAM = 4;
/** Neither a number nor a code has forms. */
const INFLECTED = /^[\p{L}\p{M}]+$/u;
const HAS_NO_WORDS = new RegExp(`[${PAIRED}${UNSPACED}]`, 'u');

/**
 * The overlapping fours of letters in a word, with a mark for where it begins: what the forms of one word share in a
 * language that has no stemmer here. None of a word that is no longer than one of them.
 */
export function gramsOf(word: string): string[] {
  const letters = [...word];
  if (letters.length < GRAM || !INFLECTED.test(word) || HAS_NO_WORDS.test(word)) return [];
  const marked = ['_', ...letters];
  return Array.from({ length: marked.length - GRAM + 1 }, (_, at) => marked.slice(at, at + GRAM).join(''));
}
