export interface Tokenizer {
  /** Exact number of GPT-2 (r50k) byte-pair tokens; words over 128 characters are counted in parts. */
  count(text: string): number;
  /** The longest beginning of a text, of whole words and the like, that has at most so many tokens. */
  start(text: string, tokens: number): string;
}

/**
 * The pieces that byte-pair merges never cross: a word with the space before it, a number, punctuation, white
 * space. Bounded, because merging takes quadratic time in a piece's length.
 */
export const TOKEN_PIECES =
  /'(?:[sdmt]|ll|ve|re)| ?\p{L}{1,128}| ?\p{N}{1,128}| ?[^\s\p{L}\p{N}]{1,128}|\s{1,128}(?!\S)|\s{1,128}/gu;

const CACHED_PIECES = 50_000;
let loading: Promise<Tokenizer> | undefined;

/** Loads the vocabulary on first use: building its table takes tens of milliseconds that start-up must not pay. */
export function loadTokenizer(): Promise<Tokenizer> {
  loading ??= import('gpt-tokenizer/encoding/r50k_base').then(({ countTokens, setMergeCacheSize }) => {
    // Once full, the library's cache walks over everything it has forgotten at each new word.
    setMergeCacheSize(0);
    let cache = new Map<string, number>();
    const countPiece = (piece: string): number => {
      const known = cache.get(piece);
      if (known !== undefined) return known;
      if (cache.size >= CACHED_PIECES) cache = new Map();
      const count = countTokens(piece);
      cache.set(piece, count);
      return count;
    };
    return {
      count(text) {
        let total = 0;
        for (const [piece] of text.matchAll(TOKEN_PIECES)) total += countPiece(piece);
        return total;
      },
      start(text, tokens) {
        let total = 0;
        for (const { 0: piece, index } of text.matchAll(TOKEN_PIECES)) {
          total += countPiece(piece);
          if (total > tokens) return text.slice(0, index);
        }
        return text;
      },
    };
  });
  return loading;
}
