/**
 * Text without white space. `breaks[i]` is 1 if white space stood before character `i` of the original text.
 * The last entry stands for the end of the text and is always 1.
 */
export interface NormalizedText {
  text: string;
  breaks: Uint8Array;
}

/** Number of characters after a word edge by which the edges are sorted. Most searched texts are shorter. */
const SORT_KEY_LENGTH = 64;
/**
 * Maximum number of candidate positions at which a long text is compared directly. With more candidates, the
 * whole text is scanned once.
 */
const MAX_DIRECT_COMPARISONS = 16;

/**
 * Finds texts that are not part of a longer word or number. Word edges are sorted once, so that each search
 * takes two binary searches. A search for a long text with many candidates scans the whole text once.
 */
export class WordEdgeIndex {
  readonly #normalized: NormalizedText;
  readonly #isEdge: Uint8Array;
  readonly #edges: Int32Array;
  readonly #known = new Map<string, number | undefined>();

  constructor(spelled: NormalizedText) {
    const { text } = spelled;
    this.#normalized = spelled;
    this.#isEdge = Uint8Array.from({ length: text.length + 1 }, (_, at) => Number(isEdge(spelled, at)));
    const heads: { at: number; head: string }[] = [];
    for (const [at, edge] of this.#isEdge.entries()) {
      if (edge) heads.push({ at, head: text.slice(at, at + SORT_KEY_LENGTH) });
    }
    heads.sort((a, b) => (a.head < b.head ? -1 : a.head > b.head ? 1 : 0));
    this.#edges = Int32Array.from(heads, ({ at }) => at);
  }

  /**
   * Returns the first position of a text, or `undefined` if it does not occur. Punctuation may touch the
   * occurrence, as in "(EUR" or "No.123". An occurrence with white space on both sides takes precedence.
   */
  findFirst(wanted: string): number | undefined {
    if (wanted === '') return undefined;
    if (!this.#known.has(wanted)) this.#known.set(wanted, this.#find(wanted));
    return this.#known.get(wanted);
  }

  #find(wanted: string): number | undefined {
    const { breaks } = this.#normalized;
    let earliest: number | undefined;
    for (const at of this.#findStarts(wanted)) {
      const end = at + wanted.length;
      if (!this.#isEdge[end]) continue;
      if ((at === 0 || breaks[at]) && breaks[end]) return at;
      earliest ??= at;
    }
    return earliest;
  }

  /** Returns the positions of word edges at which the searched text begins. */
  #findStarts(wanted: string): Iterable<number> {
    const { text } = this.#normalized;
    const head = wanted.slice(0, SORT_KEY_LENGTH);
    const headAt = (index: number) => text.slice(this.#edges[index]!, this.#edges[index]! + head.length);
    const from = findFirstIndex(this.#edges.length, (index) => headAt(index) >= head);
    const to = findFirstIndex(this.#edges.length, (index) => headAt(index) > head);
    const candidates = this.#edges.slice(from, to).sort();
    if (wanted.length <= SORT_KEY_LENGTH) return candidates;
    if (candidates.length <= MAX_DIRECT_COMPARISONS)
      return candidates.filter((at) => text.startsWith(wanted, at));
    return findOccurrences(text, wanted).filter((at) => this.#isEdge[at] === 1);
  }
}

/**
 * Finds, by binary search, the first index for which a condition holds. If the condition holds for an index,
 * it must hold for all later ones. Returns `length` if it never holds.
 */
export function findFirstIndex(length: number, holds: (at: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/**
 * Returns the positions of all occurrences of a text. Uses the Knuth-Morris-Pratt algorithm, which takes
 * linear time.
 */
function findOccurrences(text: string, wanted: string): number[] {
  const found: number[] = [];
  // Failure function of the Knuth-Morris-Pratt algorithm: number of characters that still match after a
  // mismatch.
  const fallback = new Int32Array(wanted.length + 1);
  const advance = (matched: number, character: string): number => {
    let length = matched;
    while (length > 0 && wanted[length] !== character) length = fallback[length]!;
    return wanted[length] === character ? length + 1 : 0;
  };
  for (let at = 1; at < wanted.length; at++) fallback[at + 1] = advance(fallback[at]!, wanted[at]!);
  let matched = 0;
  for (let at = 0; at < text.length; at++) {
    matched = advance(matched, text[at]!);
    if (matched === wanted.length) found.push(at + 1 - matched);
  }
  return found;
}

/**
 * Matches letters of scripts that put spaces between words. Other scripts, such as Chinese or Thai, have no
 * word edges.
 */
const LETTER = /(?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}])\p{L}/u;
const isDigit = (text: string, at: number) => /\d/.test(text.charAt(at));
const isMark = (text: string, at: number) => /[.,'’]/.test(text.charAt(at));

function isEdge({ text, breaks }: NormalizedText, at: number): boolean {
  if (breaks[at] || at === 0) return true;
  if (LETTER.test(text.charAt(at - 1)) && LETTER.test(text.charAt(at))) return false;
  if (isDigit(text, at - 1) && isDigit(text, at)) return false;
  // A decimal point or thousands separator is not a word edge, so "12" is not found in "12.50", nor "800" in
  // "1,800".
  const endsInside = isDigit(text, at - 1) && isMark(text, at) && isDigit(text, at + 1) && !breaks[at + 1];
  const startsInside = isDigit(text, at - 2) && isMark(text, at - 1) && isDigit(text, at) && !breaks[at - 1];
  return !endsInside && !startsInside;
}
