/**
 * Number of tokens of the vocabulary `cl100k_base`, from which clients of OpenAI's embedding models take their tokens.
 */
export const VOCABULARY_SIZE = 100_256;

let loading: Promise<(tokens: readonly number[]) => string> | undefined;

/**
 * Loads the function that turns tokens of `cl100k_base` into text. The vocabulary takes megabytes of memory, so it is
 * loaded only if a client sends tokens. Tokens must be less than `VOCABULARY_SIZE`.
 */
export function loadTokenDecoder(): Promise<(tokens: readonly number[]) => string> {
  loading ??= import('gpt-tokenizer/encoding/cl100k_base').then(
    ({ decode }) =>
      (tokens) =>
        decode(tokens),
  );
  return loading;
}
