const LATIN = /^\p{sc=Latin}+$/u;
/**
 * Ranks in a byte-pair vocabulary, which follow word frequency. Words below the first rank get the lowest
 * weight. Words above the last rank get the highest weight.
 */
const COMMON_RANK = 200;
const RARE_RANK = 50_000;

/** Returns how informative a word probably is, from 0.05 to 1. No corpus is needed. */
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
