export interface Tokenizer {
  /**
   * Returns the exact number of tokens of a text in the GPT-2 vocabulary (r50k). Words of more than 128
   * characters are counted in parts.
   */
  count(text: string): number;
  /**
   * Returns the longest beginning of a text that has at most `tokens` tokens. The text is cut between words.
   */
  truncate(text: string, tokens: number): string;
}

/**
 * Matches the pieces of a text that are tokenized separately: a word with the space before it, a number,
 * punctuation, or white space. The length of a piece is limited, because merging byte pairs takes quadratic
 * time.
 */
export const TOKEN_PIECES =
  /'(?:[sdmt]|ll|ve|re)| ?\p{L}{1,128}| ?\p{N}{1,128}| ?[^\s\p{L}\p{N}]{1,128}|\s{1,128}(?!\S)|\s{1,128}/gu;

const CACHED_PIECES = 50_000;
let loading: Promise<Tokenizer> | undefined;

/**
 * Loads the vocabulary on first use. Building its table takes tens of milliseconds, which would delay
 * start-up.
 */
export function loadTokenizer(): Promise<Tokenizer> {
  loading ??= import('gpt-tokenizer/encoding/r50k_base').then(({ countTokens, setMergeCacheSize }) => {
    // Disables the tokenizer library's own cache. When that cache is full, each new word makes the library
    // iterate over all evicted entries.
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
        // A text that is a single piece is also a single piece beside other text, so its number may be known. This is
        // many times faster than matching, and texts are measured piece by piece.
        const known = cache.get(text);
        if (known !== undefined) return known;
        let total = 0;
        for (const [piece] of text.matchAll(TOKEN_PIECES)) total += countPiece(piece);
        return total;
      },
      truncate(text, tokens) {
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

/**
 * Number of tokens of the vocabulary `cl100k_base`, from which clients of OpenAI's embedding models take their tokens.
 */
export const VOCABULARY_SIZE = 100_256;

let loadingDecoder: Promise<(tokens: readonly number[]) => string> | undefined;

/**
 * Loads the function that turns tokens of `cl100k_base` into text. The vocabulary takes megabytes of memory, so it is
 * loaded only if a client sends tokens. Tokens must be less than `VOCABULARY_SIZE`.
 */
export function loadTokenDecoder(): Promise<(tokens: readonly number[]) => string> {
  loadingDecoder ??= import('gpt-tokenizer/encoding/cl100k_base').then(
    ({ decode }) =>
      (tokens) =>
        decode(tokens),
  );
  return loadingDecoder;
}
