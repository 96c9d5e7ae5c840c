/**
 * A text without white space, with a 1 at each position where white space was. It has one more entry than the
 * text, and the end is a break too.
 */
export interface Spelled {
  text: string;
  breaks: Uint8Array;
}

/** Number of characters by which word edges are sorted. Most searched texts are shorter. */
const DEPTH = 64;
/** Maximum number of places with equal beginning that are compared one by one. */
const FEW = 16;

/**
 * Finds where texts stand without being a part of a longer word or number. The edges of words are sorted once, so
 * that each search takes two binary searches; what is longer than DEPTH and begins like many places, a text at most.
 */
export class Places {
  readonly #spelled: Spelled;
  readonly #isEdge: Uint8Array;
  /** Word edges, sorted by the DEPTH characters after them. */
  readonly #edges: Int32Array;
  readonly #known = new Map<string, number | undefined>();

  constructor(spelled: Spelled) {
    const { text } = spelled;
    this.#spelled = spelled;
    this.#isEdge = Uint8Array.from({ length: text.length + 1 }, (_, at) => Number(isEdge(spelled, at)));
    const heads: { at: number; head: string }[] = [];
    for (const [at, edge] of this.#isEdge.entries()) {
      if (edge) heads.push({ at, head: text.slice(at, at + DEPTH) });
    }
    heads.sort((a, b) => (a.head < b.head ? -1 : a.head > b.head ? 1 : 0));
    this.#edges = Int32Array.from(heads, ({ at }) => at);
  }

  /**
   * Returns the first place of a text. A value may begin or end inside a word ("(EUR" or "No.123"), but a
   * place between white space takes precedence.
   */
  first(wanted: string): number | undefined {
    if (wanted === '') return undefined;
    if (!this.#known.has(wanted)) this.#known.set(wanted, this.#find(wanted));
    return this.#known.get(wanted);
  }

  #find(wanted: string): number | undefined {
    const { breaks } = this.#spelled;
    let first: number | undefined;
    for (const at of this.#begun(wanted)) {
      const end = at + wanted.length;
      if (!this.#isEdge[end]) continue;
      if ((at === 0 || breaks[at]) && breaks[end]) return at;
      first ??= at;
    }
    return first;
  }

  /** Returns the edges after which the text occurs, in ascending order. */
  #begun(wanted: string): Iterable<number> {
    const { text } = this.#spelled;
    const head = wanted.slice(0, DEPTH);
    const headAt = (index: number) => text.slice(this.#edges[index]!, this.#edges[index]! + head.length);
    const from = firstOf(this.#edges.length, (index) => headAt(index) >= head);
    const to = firstOf(this.#edges.length, (index) => headAt(index) > head);
    const alike = this.#edges.slice(from, to).sort();
    if (wanted.length <= DEPTH) return alike;
    if (alike.length <= FEW) return alike.filter((at) => text.startsWith(wanted, at));
    return occurrences(text, wanted).filter((at) => this.#isEdge[at] === 1);
  }
}

/** Returns the first index for which the monotonic condition holds; `length` if there is none. */
export function firstOf(length: number, holds: (at: number) => boolean): number {
  let low = 0;
  let high = length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) high = middle;
    else low = middle + 1;
  }
  return low;
}

/** Returns every occurrence with the Knuth-Morris-Pratt algorithm, in linear time. */
function occurrences(text: string, wanted: string): number[] {
  const found: number[] = [];
  // Failure function: matched characters that remain after a mismatch.
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

/** Scripts without spaces between words have no word edges. */
const LETTER = /(?![\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmr}\p{sc=Mymr}])\p{L}/u;
const isDigit = (text: string, at: number) => /\d/.test(text.charAt(at));
const isMark = (text: string, at: number) => /[.,'’]/.test(text.charAt(at));

function isEdge({ text, breaks }: Spelled, at: number): boolean {
  if (breaks[at] || at === 0) return true;
  if (LETTER.test(text.charAt(at - 1)) && LETTER.test(text.charAt(at))) return false;
  if (isDigit(text, at - 1) && isDigit(text, at)) return false;
  // Excludes "12" of "12.50" and "800" of "1,800".
  const endsInside = isDigit(text, at - 1) && isMark(text, at) && isDigit(text, at + 1) && !breaks[at + 1];
  const startsInside = isDigit(text, at - 2) && isMark(text, at - 1) && isDigit(text, at) && !breaks[at - 1];
  return !endsInside && !startsInside;
}
