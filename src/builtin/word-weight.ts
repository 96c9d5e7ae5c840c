const LATIN = /^\p{sc=Latin}+$/u;
/** Ranks of a byte-pair vocabulary follow frequency: below the first a word says nothing, above the last, most. */
const COMMON_RANK = 200;
const RARE_RANK = 50_000;

/** How much a word is likely to say, 0.05..1, without any corpus at hand. */
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
      if (!LATIN.test(word)) return byLength(word);
      const rank = ranks.get(word);
      if (rank === undefined) return 1;
      return Math.max(0.05, Math.log((rank + 10) / COMMON_RANK) / Math.log(RARE_RANK / COMMON_RANK));
    };
  });
  return loading;
}

/** Short words are the grammatical ones in every alphabet. */
function byLength(word: string): number {
  return Math.min(1, 0.15 + (0.85 * Math.max(0, word.length - 2)) / 5);
}
