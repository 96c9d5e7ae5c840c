const MIN_LENGTH = 4;
const MAX_LENGTH = 6;

/**
 * Returns the part of a word that its inflected forms share: two thirds of the word, but at most 6 letters. A
 * word of up to 4 letters is returned whole.
 */
export function getWordBeginning(term: string): string {
  const size = Math.ceil((term.length * 2) / 3);
  return size < MIN_LENGTH ? term : term.slice(0, Math.min(size, MAX_LENGTH));
}
