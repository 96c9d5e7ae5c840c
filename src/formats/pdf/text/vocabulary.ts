import type { PageScan } from '../scan.ts';

/** Maximum length of a word in the vocabulary, in letters. */
const MAX_WORD_LENGTH = 64;
const LETTER = /\p{L}/u;
/** Matches a word that begins and ends with a letter of ASCII, as most words do. */
const PLAIN_ENDS = /^[A-Za-z](?:.*[A-Za-z])?$/s;

type PageWords = Pick<PageScan, 'words'>;

const wordsByPage = new WeakMap<PageWords, ReadonlySet<string>>();

/**
 * Returns the lower-case words of a page without punctuation around them. Parts of words that a line break
 * divides are left out. The result is cached.
 */
function listWords(scan: PageWords): ReadonlySet<string> {
  const known = wordsByPage.get(scan);
  if (known) return known;
  const words = new Set<string>();
  let isDivided = false;
  for (const { text, hyphenated } of scan.words) {
    const isRest = isDivided;
    isDivided = hyphenated || /[-\u2010\u00ad]$/.test(text);
    if (!isRest && !isDivided && text.length <= MAX_WORD_LENGTH) words.add(trimToLetters(text).toLowerCase());
  }
  wordsByPage.set(scan, words);
  return words;
}

/** Returns a word without the signs before its first and after its last letter. */
function trimToLetters(word: string): string {
  if (PLAIN_ENDS.test(word)) return word;
  const letters = [...word];
  const isLetter = (character: string) => LETTER.test(character);
  return letters.slice(letters.findIndex(isLetter), letters.findLastIndex(isLetter) + 1).join('');
}

/** Words on a page and its neighbors. They tell how a word is written that a line break divides. */
export class Vocabulary {
  readonly #scans: readonly PageWords[];
  #words: readonly ReadonlySet<string>[] | undefined;

  constructor(scans: readonly PageWords[]) {
    this.#scans = scans;
  }

  has(word: string): boolean {
    this.#words ??= this.#scans.map(listWords);
    return this.#words.some((words) => words.has(word));
  }
}
