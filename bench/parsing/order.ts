/**
 * Normalises a text before phrases are searched in it. Removes emphasis, soft hyphens and direction marks.
 */
export function normalise(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g, '')
    .replace(/\\([\\`*_{}[\]()#+\-.!|<>~])/g, '$1')
    .replace(/\*\*|__|~~|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)/g, '')
    .replace(/\s+/g, ' ');
}

/** Matches words. In scripts without spaces, each letter counts as a word. */
const WORD =
  /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]|[^\P{L}\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}]+|\p{N}+/gu;
const splitWords = (text: string): string[] => normalise(text).toLowerCase().match(WORD) ?? [];

/**
 * Measures the agreement of a text with a reference. `found` is the share of the reference's words that the
 * text contains. `inOrder` is the share of the found words in the order of the reference (longest common
 * subsequence).
 */
export function measureAgreement(text: string, reference: string): { found: number; inOrder: number } {
  const places = new Map<string, number[]>();
  const expected = splitWords(reference);
  for (const [place, word] of expected.entries()) {
    const known = places.get(word);
    if (known) known.unshift(place);
    else places.set(word, [place]);
  }
  const used = new Map<string, number>();
  const sequence: number[] = [];
  for (const word of splitWords(text)) {
    const candidates = places.get(word);
    if (!candidates) continue;
    used.set(word, Math.min(candidates.length, (used.get(word) ?? 0) + 1));
    // The positions are in descending order, so an increasing sequence takes at most one position per word.
    sequence.push(...candidates);
  }
  const matched = [...used.values()].reduce((sum, count) => sum + count, 0);
  return {
    found: matched / Math.max(1, expected.length),
    inOrder: matched === 0 ? 1 : longestIncreasing(sequence) / matched,
  };
}

function longestIncreasing(values: readonly number[]): number {
  const tails: number[] = [];
  for (const value of values) {
    let [low, high] = [0, tails.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (tails[middle]! < value) low = middle + 1;
      else high = middle;
    }
    tails[low] = value;
  }
  return tails.length;
}
