/**
 * Text without white space. `breaks` is 1 at each position where white space was. It has one more entry than
 * the text, and the end of the text counts as white space.
 */
export interface NormalizedText {
  text: string;
  breaks: Uint8Array;
}

/** Number of characters by which word edges are sorted. Most searched texts are shorter. */
const SORT_KEY_LENGTH = 64;
/** Maximum number of candidates that are compared one by one. */
const MAX_DIRECT_COMPARISONS = 16;

/**
 * Finds texts that are not part of a longer word or number. The word edges are sorted once, so each search
 * takes two binary searches. A text longer than `SORT_KEY_LENGTH` with many candidates takes one pass over
 * the text.
 */
export class WordEdgeIndex {
  readonly #normalized: NormalizedText;
  readonly #isEdge: Uint8Array;
  /** Positions of word edges, sorted by the characters after them. */
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
   * Returns the first position of a text, or `undefined` if it does not occur. The occurrence may touch other
   * characters, as in "(EUR" or "No.123", but an occurrence between white space takes precedence.
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

  /** Returns the word edges at which the text begins. */
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
 * Returns the first index for which a monotonic condition holds. Returns `length` if the condition never
 * holds.
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
 * Returns the positions of all occurrences. Uses the Knuth-Morris-Pratt algorithm, which takes linear time.
 */
function findOccurrences(text: string, wanted: string): number[] {
  const found: number[] = [];
  // Failure function: number of matched characters that remain after a mismatch.
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

/** A letter of a script with spaces between words. Scripts without such spaces have no word edges. */
const LETTER = /(?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}])\p{L}/u;
const isDigit = (text: string, at: number) => /\d/.test(text.charAt(at));
const isMark = (text: string, at: number) => /[.,'’]/.test(text.charAt(at));

function isEdge({ text, breaks }: NormalizedText, at: number): boolean {
  if (breaks[at] || at === 0) return true;
  if (LETTER.test(text.charAt(at - 1)) && LETTER.test(text.charAt(at))) return false;
  if (isDigit(text, at - 1) && isDigit(text, at)) return false;
  // Excludes "12" in "12.50" and "800" in "1,800".
  const endsInside = isDigit(text, at - 1) && isMark(text, at) && isDigit(text, at + 1) && !breaks[at + 1];
  const startsInside = isDigit(text, at - 2) && isMark(text, at - 1) && isDigit(text, at) && !breaks[at - 1];
  return !endsInside && !startsInside;
}
