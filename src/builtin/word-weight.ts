const LATIN = /^\p{sc=Latin}+$/u;
/**
 * Ranks of words in a tokenizer's vocabulary, which is sorted roughly by frequency. Words up to `COMMON_RANK`
 * get the lowest weight, and words from `RARE_RANK` on get the highest.
 */
const COMMON_RANK = 200;
const RARE_RANK = 50_000;

/** Estimates from 0.05 to 1 how informative a word is, without a corpus. */
export type WordWeight = (word: string) => number;

let loading: Promise<WordWeight> | undefined;

export function loadWordWeight(): Promise<WordWeight> {
  loading ??= import('gpt-tokenizer/bpeRanks/r50k_base').then(({ default: vocabulary }) => {
    const ranks = new Map<string, number>();
    vocabulary.forEach((entry, rank) => {
      if (typeof entry !== 'string' || entry[0] !== ' ' || entry.length < 2) return;
      const word = entry.slice(1).toLowerCase();
      if (!ranks.has(word)) ranks.set(word, rank);
    });
    return (word) => {
      if (!LATIN.test(word)) return weighByLength(word);
      const rank = ranks.get(word);
      if (rank === undefined) return 1;
      return Math.max(0.05, Math.log((rank + 10) / COMMON_RANK) / Math.log(RARE_RANK / COMMON_RANK));
    };
  });
  return loading;
}

/**
 * Estimates the weight of a word from its length, because short words are mostly grammatical in every
 * alphabet.
 */
function weighByLength(word: string): number {
  return Math.min(1, 0.15 + (0.85 * Math.max(0, word.length - 2)) / 5);
}
