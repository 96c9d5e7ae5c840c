const SHORTEST = 4;
const LONGEST = 6;

/** The part of a word that its inflected forms share: two thirds of it, and all of a short one. */
export function beginningOf(term: string): string {
  const kept = Math.ceil((term.length * 2) / 3);
  return kept < SHORTEST ? term : term.slice(0, Math.min(kept, LONGEST));
}
