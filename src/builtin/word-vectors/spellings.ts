/**
 * Minimum length in letters of a word that is compared by spelling. Shorter words are similar by accident.
 */
const MIN_WORD_LENGTH = 5;
/**
 * Maximum length in letters of a word that is compared by spelling. Longer strings are not words, and
 * comparing them takes time.
 */
const MAX_WORD_LENGTH = 32;
/**
 * Maximum number of words with the same trigram. More common trigrams are ignored, because they identify no
 * word.
 */
const MAX_WORDS_PER_TRIGRAM = 1_000;
/** Maximum number of cached look-ups. */
const MAX_CACHED_WORDS = 20_000;

export interface SpellingMatch {
  index: number;
  /** Spelling similarity from 0 to 1. */
  likeness: number;
}

/**
 * Finds the word of a list with the most similar spelling, by the three-letter sequences (trigrams) that both
 * words share.
 */
export class Spellings {
  readonly #minLikeness: number;
  readonly #wordsByTrigram = new Map<string, number[]>();
  readonly #trigramCounts: number[];
  readonly #known = new Map<string, SpellingMatch | undefined>();
  /**
   * For each word of the list, the number of trigrams shared with the word being looked up. Reset to 0 after
   * each look-up.
   */
  readonly #shared: Uint8Array;

  constructor(words: readonly string[], least: number) {
    this.#minLikeness = least;
    this.#shared = new Uint8Array(words.length);
    this.#trigramCounts = words.map((word, index) => {
      const runs = splitIntoTrigrams(word);
      for (const run of runs) {
        const listed = this.#wordsByTrigram.get(run);
        if (listed) listed.push(index);
        else this.#wordsByTrigram.set(run, [index]);
      }
      return runs.length;
    });
  }

  findNearest(word: string): SpellingMatch | undefined {
    if (this.#known.has(word)) return this.#known.get(word);
    if (this.#known.size >= MAX_CACHED_WORDS) this.#known.clear();
    const found = this.#find(splitIntoTrigrams(word));
    this.#known.set(word, found);
    return found;
  }

  #find(runs: string[]): SpellingMatch | undefined {
    const met: number[] = [];
    for (const run of runs) {
      const listed = this.#wordsByTrigram.get(run);
      if (listed === undefined || listed.length > MAX_WORDS_PER_TRIGRAM) continue;
      for (const index of listed) {
        if (this.#shared[index] === 0) met.push(index);
        this.#shared[index]! += 1;
      }
    }
    let best: SpellingMatch | undefined;
    for (const index of met) {
      const likeness = (2 * this.#shared[index]!) / (runs.length + this.#trigramCounts[index]!);
      this.#shared[index] = 0;
      if (likeness >= this.#minLikeness && likeness > (best?.likeness ?? 0)) best = { index, likeness };
    }
    return best;
  }
}

/**
 * Returns the distinct trigrams of a word. The start of the word is marked, but not the end, because endings
 * vary. Returns an empty array for words that are too short or too long.
 */
function splitIntoTrigrams(word: string): string[] {
  if (word.length < MIN_WORD_LENGTH || word.length > MAX_WORD_LENGTH) return [];
  const spelled = `^${toSoundSpelling(word)}`;
  const runs = new Set<string>();
  for (let at = 0; at + 3 <= spelled.length; at++) runs.add(spelled.slice(at, at + 3));
  return [...runs];
}

/**
 * Unifies spellings of the same sound in different languages. For example, Photographie and fotografía then
 * begin with the same letters.
 */
function toSoundSpelling(word: string): string {
  return word
    .replaceAll('ph', 'f')
    .replaceAll('th', 't')
    .replace(/ck|[kqz]/g, 'c')
    .replace(/[yj]/g, 'i')
    .replaceAll('w', 'v')
    .replace(/(.)\1+/g, '$1');
}
